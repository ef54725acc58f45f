int main(void)
{
    int v[3] = 5;
    return v[0];
}

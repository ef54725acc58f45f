int main(void)
{
    int v[3] = { [5] = 1 };
    return v[0];
}

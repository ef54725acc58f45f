int main(void)
{
    int v[2.5];
    return 0;
}

int main(void)
{
    int x = 0;
again:
    x++;
again:
    x++;
    if (x < 5)
        goto again;
    return x;
}

int main(void)
{
    int x, *p = &x, *q = &x;
    return (p + q) != 0;
}

int main(void)
{
    double _Complex z = 1;
    z = z % 2;
    return 0;
}

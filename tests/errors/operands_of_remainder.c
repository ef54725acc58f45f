int main(void)
{
    double d = 1.5;
    return d % 2;
}

int main(void)
{
    double d = 1.0;
    return _Generic(d, int: 1, char *: 2);
}

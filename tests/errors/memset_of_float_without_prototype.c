void *memset();

int main(void)
{
    double x = 1;
    memset(x, 0, sizeof x);
    return 0;
}

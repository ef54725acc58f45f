int main(void)
{
    int x = 1;
    void *p = &x;
    return 1 + *p;
}

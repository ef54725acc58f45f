int main(void)
{
    int x = 1;
    int *p = &(x + 1);
    return *p;
}

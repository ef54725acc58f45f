int main(void)
{
    5 = 3;
    return 0;
}

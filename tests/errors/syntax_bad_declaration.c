int main(void)
{
    int 3x = 4;
    return 0;
}

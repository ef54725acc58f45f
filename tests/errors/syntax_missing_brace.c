int main(void)
{
    int x = 0;
    while (x < 3) {
        x++;
    return 0;
}

int main(void)
{
    const char *s = "never closed;
    return 0;
}

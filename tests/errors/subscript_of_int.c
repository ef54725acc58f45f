int main(void)
{
    int x = 1, i = 2;
    return x[i];
}

int main(void)
{
    {
        int inner = 1;
        inner++;
    }
    return inner;
}

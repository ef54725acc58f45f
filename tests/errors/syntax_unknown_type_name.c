int main(void)
{
    number x = 3;
    return x;
}

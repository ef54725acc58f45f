struct s { int x : 33; };

int main(void)
{
    return 0;
}

struct s { int x : -1; };

int main(void)
{
    return 0;
}

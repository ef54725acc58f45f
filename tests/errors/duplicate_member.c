struct s { int x; char x; };

int main(void)
{
    return 0;
}

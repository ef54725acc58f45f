struct s { int x; };

int main(void)
{
    struct s s = { 1 };
    s++;
    return 0;
}

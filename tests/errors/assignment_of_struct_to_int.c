struct s { int x; };

int main(void)
{
    struct s s = { 1 };
    int i;
    i = s;
    return i;
}

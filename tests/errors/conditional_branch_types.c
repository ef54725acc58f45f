struct s { int x; };

int main(void)
{
    struct s s = { 1 };
    int i = 0;
    i = i ? s : 1;
    return i;
}

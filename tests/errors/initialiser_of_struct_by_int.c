struct s { int x; };

int main(void)
{
    int i = 3;
    struct s s = i;
    return s.x;
}

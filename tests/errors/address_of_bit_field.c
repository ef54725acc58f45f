struct s { int x : 3; };

int main(void)
{
    struct s s = { 1 };
    int *p = &s.x;
    return *p;
}

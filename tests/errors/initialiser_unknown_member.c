struct s { int x; };

int main(void)
{
    struct s s = { .y = 1 };
    return s.x;
}

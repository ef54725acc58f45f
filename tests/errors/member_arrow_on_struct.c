struct s { int x; };

int main(void)
{
    struct s s = { 1 };
    return s->x;
}

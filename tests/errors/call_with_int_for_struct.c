struct s { int x; };
static int f(struct s s) { return s.x; }

int main(void)
{
    return f(3);
}

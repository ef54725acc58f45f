struct s { int x; };
static int f(struct s s) { return s; }

int main(void)
{
    struct s s = { 1 };
    return f(s);
}

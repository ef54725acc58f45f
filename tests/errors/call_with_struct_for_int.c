struct s { int x; };
static int f(int a) { return a; }

int main(void)
{
    struct s s = { 1 };
    return f(s);
}

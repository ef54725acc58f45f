static int *p;

static void f(void)
{
    int x = 1;
    p = &x;
}

int main(void)
{
    f();
    return *p;
}

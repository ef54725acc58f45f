/* A product that overflows before the assertion fails. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int product(int a, int b)
{
    return a * b;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 40000 || x > 50000)
        return 0;
    if (product(x, 20000 + x) < 0)
        reach_error();
    return 0;
}

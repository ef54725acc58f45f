/* Products do not depend on the order of their factors: no linear invariant says so. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int product(int a, int b)
{
    if (b == 0)
        return 0;
    return a + product(a, b - 1);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0 || a > 40000 || b > 40000)
        return 0;
    if (product(a, b) != product(b, a))
        reach_error();
    return 0;
}

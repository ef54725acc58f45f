/* Assumptions by abort in a function, and by return. */
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void assume(int condition)
{
    if (!condition)
        abort();
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    assume(x > 10 && x < 100);
    assume(y == x + 1);
    if (y % 2 == 0)
        return 0;
    if (x % 2 != 0 || y < 12)
        reach_error();
    return 0;
}

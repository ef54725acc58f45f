/* The error is in the function that calls itself, three calls deep. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void step(int n, int m)
{
    if (n < 0 && m == 19)
        reach_error();
    if (n < 0)
        return;
    step(n - 3, m + 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 6 && n < 9)
        step(n, __VERIFIER_nondet_int());
    return 0;
}

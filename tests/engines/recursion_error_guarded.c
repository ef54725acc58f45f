/* The error is in the function that calls itself; no call from the program comes to it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void step(int n)
{
    if (n % 2 != 0)
        reach_error();
    if (n == 0)
        return;
    step(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n % 2 == 0)
        step(n);
    return 0;
}

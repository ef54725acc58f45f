/* Two recursive calls in one expression. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 5)
        return 0;
    int f = fibonacci(n);
    if (f > 5 || f < n - 1)
        reach_error();
    return 0;
}

/* Two functions that call each other decide what a remainder tells at once. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int is_odd(int n);

static int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (is_even(n) && n % 2 != 0)
        reach_error();
    return 0;
}

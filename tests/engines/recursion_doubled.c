/* Twice as much for each step is a power of two, whichever way it is computed. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int twice(int n, int sofar)
{
    if (n == 0)
        return sofar;
    return twice(n - 1, sofar + sofar);
}

static int power(int n)
{
    int half;
    if (n == 0)
        return 1;
    half = power(n - 1);
    return half + half;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 30)
        return 0;
    if (power(n) - twice(n, 1) != 0)
        reach_error();
    return 0;
}

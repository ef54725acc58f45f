/* Whatever divides both numbers is no greater than either. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int gcd(int a, int b)
{
    if (a == b)
        return a;
    if (a > b)
        return gcd(a - b, b);
    return gcd(a, b - a);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), divisor;
    if (a < 1 || b < 1)
        return 0;
    divisor = gcd(a, b);
    if (divisor < 1 || divisor > a || divisor > b)
        reach_error();
    return 0;
}

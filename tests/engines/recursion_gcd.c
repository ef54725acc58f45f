/* The greatest common divisor is not more than either number. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int gcd(int a, int b)
{
    if (b == 0)
        return a;
    return gcd(b, a % b);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 1 || a > 4 || b < 1 || b > 3)
        return 0;
    int d = gcd(a, b);
    if (d < 1 || d > a || d > b)
        reach_error();
    return 0;
}

/* What subtraction leaves of two numbers divides the first one. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int common(int a, int b)
{
    if (a == b)
        return a;
    if (a < b)
        return common(a, b - a);
    return common(a - b, b);
}

static int rest(int a, int divisor)
{
    if (a < divisor)
        return a;
    return rest(a - divisor, divisor);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 1 || b < 1)
        return 0;
    if (rest(a, common(a, b)) != 0)
        reach_error();
    return 0;
}

/* A local of the caller has its old value after the recursive call: the sum is 45, not 0. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int sum(int n)
{
    int mine = n, rest = 0;
    if (n > 0)
        rest = sum(n - 1);
    return mine + rest;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 12)
        return 0;
    if (sum(n) == 45)
        reach_error();
    return 0;
}

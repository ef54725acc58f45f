/* Counts down and up again: as many steps one way as the other. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int copy_of(int n)
{
    if (n == 0)
        return 0;
    return copy_of(n - 1) + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (copy_of(n) != n)
        reach_error();
    return 0;
}

/* A loop whose bound is an input, limited by an assumption. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int i, sum = 0;
    if (n < 0 || n > 20)
        return 0;
    for (i = 1; i <= n; i++)
        sum += i;
    if (sum != n * (n + 1) / 2)
        reach_error();
    return 0;
}

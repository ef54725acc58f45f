/* Two nested loops count a product. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    int i, j, count = 0;
    if (n < 0 || n > 4 || m < 0 || m > 5)
        return 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            count++;
    if (count != n * m)
        reach_error();
    return 0;
}

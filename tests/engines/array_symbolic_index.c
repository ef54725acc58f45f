/* Two indices that may be the same. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 };
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    if (i < 0 || i > 5 || j < 0 || j > 5)
        return 0;
    a[i] += 10;
    a[j] += 10;
    if (a[4] == 25)
        reach_error();
    return 0;
}

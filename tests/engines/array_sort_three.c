/* Three elements are sorted by exchanges. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void order(int *low, int *high)
{
    if (*low > *high) {
        int old = *low;
        *low = *high;
        *high = old;
    }
}

int main(void)
{
    int a[3], i;
    for (i = 0; i < 3; i++)
        a[i] = __VERIFIER_nondet_int();
    order(a, a + 1);
    order(&a[1], &a[2]);
    order(&a[0], &a[1]);
    if (a[0] > a[1] || a[1] > a[2])
        reach_error();
    return 0;
}

/* Birgmeier, section 4.3 (seq): what two loops have added, two others take away. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), k = 0, i;
    if (n < 0 || m < 0 || n > 100000 || m > 100000)
        return 0;
    for (i = 0; i < n; i++)
        k++;
    for (i = 0; i < m; i++)
        k++;
    for (i = 0; i < n + m; i++) {
        if (k <= 0)
            reach_error();
        k--;
    }
    return 0;
}

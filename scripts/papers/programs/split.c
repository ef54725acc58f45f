/* Birgmeier, section 4.3 (split): two counters take turns, so that they end with the same value. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int k = 100, b = __VERIFIER_nondet_int() != 0, i = 0, j = 0, n = 0;
    while (n < 2 * k) {
        if (b)
            i++;
        else
            j++;
        b = !b;
        n++;
    }
    if (i != j)
        reach_error();
    return 0;
}

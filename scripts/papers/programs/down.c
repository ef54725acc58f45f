/* Birgmeier, section 4.3 (down): the same, counted down from n. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), k = 0, j = 0;
    if (n > 1000000)
        return 0;
    int i = n;
    while (i > 0) {
        i--;
        k++;
    }
    while (j < n) {
        if (k <= 0)
            reach_error();
        j++;
        k--;
    }
    return 0;
}

/* Birgmeier, section 4.3 (gulwani_cegar2): two counters, of which one is not ahead of the other. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, m = 0, n = __VERIFIER_nondet_int();
    while (x < n) {
        if (__VERIFIER_nondet_int())
            m = x;
        x++;
    }
    if (n > 0 && (m < 0 || m >= n))
        reach_error();
    return 0;
}

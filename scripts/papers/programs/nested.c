/* Birgmeier, section 4.3 (nested): an inner loop begins where the outer one is. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), l = __VERIFIER_nondet_int();
    if (l <= 0 || n > 1000000)
        return 0;
    for (int i = 1; i < n; i++)
        for (int j = l; j < n; j++)
            if (j < 1)
                reach_error();
    return 0;
}

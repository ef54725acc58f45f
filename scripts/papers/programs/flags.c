/* Four flags, each of which is set only after the one before it: clauses of two flags, with counterexamples to generalise. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = 0, b = 0, c = 0, d = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            a = 1;
        else if (__VERIFIER_nondet_int()) {
            if (a == 1)
                b = 1;
        } else if (__VERIFIER_nondet_int()) {
            if (b == 1)
                c = 1;
        } else if (c == 1)
            d = 1;
    }
    if (d == 1 && a == 0)
        reach_error();
    return 0;
}

/* Beyer and Dangl, Figure 6: the invariant is a constant, s = 0. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned s = 0;
    while (__VERIFIER_nondet_uint()) {
        if (s != 0)
            s++;
        if (__VERIFIER_nondet_uint() && s != 0)
            reach_error();
    }
    return 0;
}

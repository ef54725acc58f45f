/* Beyer, Dangl and Wendler, section 5.2: a disjunction of intervals is the invariant. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 1;
    while (__VERIFIER_nondet_uint()) {
        if (x < 5)
            x = 20;
        else
            x = x == 20 ? 21 : 2;
        if (x > 2 && x < 20)
            reach_error();
    }
    return 0;
}

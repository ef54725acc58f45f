/* Beyer and Dangl, section 4.9, a path program: two loops one after the other, each with its interval. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = 10, j = 20;
    while (__VERIFIER_nondet_uint()) {
        if (i < 50)
            i++;
    }
    while (__VERIFIER_nondet_uint()) {
        if (j < 60)
            j++;
        if (__VERIFIER_nondet_uint() && (j > 60 || i > 50))
            reach_error();
    }
    if (i < 10 || j < 20)
        reach_error();
    return 0;
}

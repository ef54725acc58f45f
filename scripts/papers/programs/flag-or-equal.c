/* Beyer and Dangl, section 4.10: the invariant is a disjunction, a = b or flag = 0. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a = 0, b = 0, flag = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_uint()) {
        if (flag != 0) {
            a++;
            b++;
        } else {
            a += __VERIFIER_nondet_uint();
        }
    }
    if (flag != 0 && a != b)
        reach_error();
    return 0;
}

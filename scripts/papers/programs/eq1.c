/* Beyer and Dangl, Figure 7: two pairs of variables stay equal. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned w = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    unsigned x = w, z = y;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint()) {
            w++;
            x++;
        } else {
            y--;
            z--;
        }
    }
    if (w != x || y != z)
        reach_error();
    return 0;
}

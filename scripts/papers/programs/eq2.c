/* Beyer and Dangl, Figure 1: y = z follows from equations that hold at the beginning only. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned w = __VERIFIER_nondet_uint();
    unsigned x = w;
    unsigned y = w + 1, z = x + 1;
    while (__VERIFIER_nondet_uint()) {
        y++;
        z++;
    }
    if (y != z)
        reach_error();
    return 0;
}

/* Beyer, Dangl and Wendler, section 5: a product within few rounds. Unrolling proves it; there is no simple
   invariant. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint() % 16, product = 0, i = 0;
    while (i < 7) {
        product += x;
        i++;
    }
    if (product != 7 * x)
        reach_error();
    return 0;
}

/* Beyer, Dangl and Wendler, Figure 2, without a bound: the forward condition of BMC never holds. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 0, y = 0;
    while (__VERIFIER_nondet_uint()) {
        x++;
        y++;
        if (x != y)
            reach_error();
    }
    return 0;
}

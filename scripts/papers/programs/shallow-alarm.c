/* Beyer, Dangl and Wendler, section 5: a violation after three rounds, for one choice of the inputs. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 1, rounds = 0;
    while (__VERIFIER_nondet_uint()) {
        x = 10 * x + __VERIFIER_nondet_uint() % 10;
        rounds++;
        if (rounds == 3 && x == 1345)
            reach_error();
    }
    return 0;
}

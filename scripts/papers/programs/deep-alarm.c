/* Beyer, Dangl and Wendler, section 5: the violation comes after 60 rounds, and in each there is a choice. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 0, rounds = 0;
    while (rounds < 100) {
        x += __VERIFIER_nondet_uint() % 2;
        rounds++;
        if (x == 60)
            reach_error();
    }
    return 0;
}

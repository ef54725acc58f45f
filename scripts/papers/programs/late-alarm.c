/* Beyer, Dangl and Wendler, section 5: a violation that only an execution of 3,000 rounds has. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 0, y = __VERIFIER_nondet_uint();
    while (x < 3000) {
        x++;
        if (y == x)
            y++;
    }
    if (y == 3001)
        reach_error();
    return 0;
}

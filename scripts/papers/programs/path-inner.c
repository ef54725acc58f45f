/* Beyer and Dangl, section 4.9, a path program with an inner loop: the intervals of both counters. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = 0, j = 0;
    while (i < 1000) {
        j = 0;
        while (j < 1000) {
            j++;
            if (i > 999)
                reach_error();
        }
        if (j > 1000)
            reach_error();
        i++;
    }
    return 0;
}

/* Beyer and Dangl, section 4.10: that a counter of references is positive, and then that it is one. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned counter = 1;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint()) {
            if (counter != 0)
                counter++;
            if (counter > 1)
                counter--;
        }
    }
    if (counter != 1)
        reach_error();
    return 0;
}

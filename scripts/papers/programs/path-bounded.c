/* Beyer and Dangl, section 4.9, a path program: one path of a loop with a bound. An interval suffices. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = 0, n = 0;
    while (i < 1000000) {
        if (__VERIFIER_nondet_uint())
            n = 3;
        else if (__VERIFIER_nondet_uint())
            n = 7;
        i++;
    }
    if (i > 1000000 || n > 7)
        reach_error();
    return 0;
}

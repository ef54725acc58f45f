/* Beyer and Dangl, section 4.9, a path program: one path of a loop on which two variables stay equal. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = a;
    while (a != 77) {
        a += 3;
        b += 3;
    }
    if (b != 77)
        reach_error();
    return 0;
}

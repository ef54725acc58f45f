/* Beyer and Dangl, Figure 11: the last bits of x stay those of five. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 5;
    while (__VERIFIER_nondet_uint())
        x += 8;
    if ((x & 5) != 5)
        reach_error();
    return 0;
}

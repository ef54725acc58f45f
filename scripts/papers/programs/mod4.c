/* Beyer and Dangl, Figure 10: x stays a multiple of four. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 0;
    while (__VERIFIER_nondet_uint())
        x += 4;
    if (x % 4 != 0)
        reach_error();
    return 0;
}

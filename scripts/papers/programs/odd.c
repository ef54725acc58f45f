/* Beyer and Dangl, Figure 9: x stays odd. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 1;
    while (__VERIFIER_nondet_uint())
        x += 2;
    if (x % 2 != 1)
        reach_error();
    return 0;
}

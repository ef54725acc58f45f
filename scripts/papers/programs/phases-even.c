/* Beyer and Dangl, section 4.10: evenness, with a control flow that is too complex for a template in the
   loop head. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 0;
    while (x < 268435455) {
        if (x < 65520)
            x++;
        else
            x += 2;
    }
    if (x % 2 != 0)
        reach_error();
    return 0;
}

/* Beyer and Dangl, section 4.9, a path program: a counter that is reset within its bounds. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned state = 2, steps = 0;
    while (__VERIFIER_nondet_uint()) {
        steps++;
        if (state == 5)
            state = 2;
        else
            state++;
        if (__VERIFIER_nondet_uint() && (state == 1 || state > 5))
            reach_error();
    }
    return 0;
}

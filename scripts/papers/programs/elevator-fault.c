/* Komuravelli et al., Table 1, with a fault: the lift leaves its floors if it is heavy. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned floor = 0, weight = 0, up = 1;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint() % 2 && weight < 100)
            weight += 40;
        if (up) {
            if (floor < 4 || weight > 80)
                floor++;
            else
                up = 0;
        } else if (floor > 0) {
            floor--;
        } else {
            up = 1;
        }
        if (floor > 4)
            reach_error();
    }
    return 0;
}

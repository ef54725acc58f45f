/* Komuravelli et al., Table 1 (elevator): a lift does not leave its floors, whatever its features are. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned floor = 0, weight = 0, open = 0, executive = __VERIFIER_nondet_uint() % 2, up = 1;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint() % 2 && weight < 100)
            weight += 40;
        if (executive && floor == 3)
            open = 0;
        if (weight > 80) {
            open = 1;
            weight -= 40;
        } else if (up) {
            if (floor < 4)
                floor++;
            else
                up = 0;
        } else if (floor > 0) {
            floor--;
        } else {
            up = 1;
        }
        if (floor > 4 || (open && weight > 120))
            reach_error();
    }
    return 0;
}

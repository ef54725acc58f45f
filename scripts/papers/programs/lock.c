/* Beyer, Dangl and Wendler, section 5 (drivers): a lock is taken and given back by turns; a predicate tells
   which. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned locked = 0, taken = 0, given = 0;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint()) {
            if (locked)
                continue;
            locked = 1;
            taken++;
        } else if (locked) {
            locked = 0;
            given++;
        }
        if (taken - given > 1)
            reach_error();
    }
    return 0;
}

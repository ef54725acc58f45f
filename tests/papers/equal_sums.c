// An invariant of two variables, y = z, is needed, which no condition inside the loop suggests.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x;
    unsigned z = x;
    while (__VERIFIER_nondet_uint()) {
        y++;
        z++;
    }
    if (y != z) reach_error();
    return 0;
}

// An invariant of two variables, y = z + 1, which is no equality of variables.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x + 1;
    unsigned z = x;
    while (__VERIFIER_nondet_uint()) {
        y++;
        z++;
    }
    if (y != z + 1) reach_error();
    return 0;
}

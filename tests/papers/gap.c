// The number is 0 or 10: no interval without a gap excludes 5.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = 0;
    while (__VERIFIER_nondet_uint()) {
        if (__VERIFIER_nondet_uint()) {
            x = x == 0 ? 10 : 0;
        }
    }
    if (x == 5) reach_error();
    return 0;
}

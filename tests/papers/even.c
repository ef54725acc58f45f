// The number stays even.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = 0;
    while (__VERIFIER_nondet_uint()) {
        x += 2;
    }
    if (x == 7) reach_error();
    return 0;
}

// A recursion without an end is before the error.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

void down(unsigned n) {
    if (n != 0)
        down(n - 2);
}
int main(void) {
    down(__VERIFIER_nondet_uint() | 1);
    reach_error();
}

// The counter jumps over zero.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned k = (__VERIFIER_nondet_uint() & 7) * 1024 + 1023;
    while (k > 100)
        k -= 1024;
    reach_error();
}

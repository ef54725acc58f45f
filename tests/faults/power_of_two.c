// The error needs a power of two.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned p = __VERIFIER_nondet_uint(), x = __VERIFIER_nondet_uint();
    if ((p & (p - 1)) == 0 && x * p == 13)
        reach_error();
    return 0;
}

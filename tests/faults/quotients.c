// Quotients differ.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = __VERIFIER_nondet_uint() | 1;
    if (x / z + 1 == y / z)
        reach_error();
    return 0;
}

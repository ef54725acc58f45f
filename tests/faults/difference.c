// A difference is no sum.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = __VERIFIER_nondet_uint();
    unsigned w = x - y;
    if (w + z == x + z - y && y == 5 && w == 12 && x == 17)
        reach_error();
    return 0;
}

// A sum differs from another in one case.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = __VERIFIER_nondet_uint();
    unsigned sum = x + y, grown = sum;
    if (__VERIFIER_nondet_int())
        grown = x + y + 1;
    if (z * z == 49 && grown != sum)
        reach_error();
    return 0;
}

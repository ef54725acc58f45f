// A loop without an end is before the error.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint(), j = 0;
    if (i >= n)
        return 0;
    while (i < n)
        j++;
    reach_error();
}

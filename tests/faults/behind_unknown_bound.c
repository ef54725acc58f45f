// The counter jumps over a bound that is not known.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    if (n != 4294967295u)
        return 0;
    while (i < n)
        i += 2;
    reach_error();
}

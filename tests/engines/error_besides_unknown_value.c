// The first error needs a value of sin, which nobody computes here; the second does not.
extern double sin(double);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    if (n == 3 && sin(n) > 0.5)
        reach_error();
    while (i < n)
        i += 2;
    if (i == 4)
        reach_error();
    return 0;
}

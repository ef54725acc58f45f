// The error needs a division by zero.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = 100 / x;
    if (y > 100)
        reach_error();
    return 0;
}

// Twice a number does not determine it.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x + x == 6 && x != 3)
        reach_error();
    return 0;
}

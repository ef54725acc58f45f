// A quarter of it.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x == 9 && x / 4 == 2)
        reach_error();
    return 0;
}

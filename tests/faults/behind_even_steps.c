// The counter never meets its bound.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned i = __VERIFIER_nondet_uint() & 6;
    while (i != 7)
        i += 2;
    reach_error();
}

// A small function with an error, called twice.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void check(int x) {
    if (x == 17)
        reach_error();
}
int main(void) {
    check(__VERIFIER_nondet_int());
    check(__VERIFIER_nondet_int());
    return 0;
}

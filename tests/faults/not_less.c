// What is not less may be equal.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (!(x < y) && x == y)
        reach_error();
    return 0;
}

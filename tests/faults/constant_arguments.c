// Each argument counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void pass(int a, int b, int n) {
    if (n > 0)
        pass(a, b, n - 1);
    else if (b == 2 && __VERIFIER_nondet_int() == 17)
        reach_error();
}
int main(void) {
    pass(1, 2, __VERIFIER_nondet_int());
    return 0;
}

// A recursive function returns what it is given.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int given(int n) {
    if (n <= 0)
        return __VERIFIER_nondet_int();
    return given(n - 1);
}
int main(void) {
    int a = given(__VERIFIER_nondet_int()), b = given(__VERIFIER_nondet_int());
    if (a != b)
        reach_error();
    return 0;
}

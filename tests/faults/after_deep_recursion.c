// The error is behind a deep recursion.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void down(int n) {
    if (n > 0)
        down(n - 1);
}
int main(void) {
    down(5);
    if (__VERIFIER_nondet_int() == 17)
        reach_error();
    return 0;
}

// Each activation has locals of its own.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int last(int n) {
    int own = n;
    if (n > 0)
        last(n - 1);
    return own;
}
int main(void) {
    if (last(1) == 1 && __VERIFIER_nondet_int() == 17)
        reach_error();
    return 0;
}

// The result of a recursive function decides.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int sum(int n) {
    if (n <= 0)
        return 0;
    return sum(n - 1) + n;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 5 && sum(n) == 6)
        reach_error();
    return 0;
}

// The result of a recursive function decides.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int find(int n) {
    if (n > 9)
        return find(n - 3);
    return n;
}
int main(void) {
    int n = __VERIFIER_nondet_int() & 15;
    int a = find(n);
    if (a == 8 && n == 11)
        reach_error();
    return 0;
}

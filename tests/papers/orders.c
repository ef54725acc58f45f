// The loop keeps one order of variables, and needs it.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000000) return 0;
    int i = 0;
    int k = 0;
    while (i < n) {
        i++;
        k++;
    }
    if (k > n) reach_error();
    return 0;
}

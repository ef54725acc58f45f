// A call of a recursive function may change a global.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g = 0;
void change(int n) {
    if (n > 0)
        change(n - 1);
    else if (n == -5)
        g = 1;
}
int main(void) {
    g = 0;
    change(__VERIFIER_nondet_int());
    if (g == 1)
        reach_error();
    return 0;
}

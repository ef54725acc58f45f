// The argument of a recursive function decides.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g = 0;
void set(int n, int value) {
    if (n > 0)
        set(n - 1, value);
    else
        g = value;
}
int main(void) {
    int value = __VERIFIER_nondet_int();
    set(__VERIFIER_nondet_int(), value);
    if (g == 4)
        reach_error();
    return 0;
}

// A recursive function reads a global.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g;
void show(int n) {
    if (n > 0)
        show(n - 1);
    else if (g == 17)
        reach_error();
}
int main(void) {
    g = __VERIFIER_nondet_int();
    show(__VERIFIER_nondet_int());
    return 0;
}

// The condition chooses.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int x = a > 0 ? 4 : 3;
    if (x == 4 && a == 17)
        reach_error();
    return 0;
}

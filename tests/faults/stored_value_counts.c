// What was stored decides.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int a[8];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 8, x = __VERIFIER_nondet_uint();
    while (x > 100)
        x -= 7;
    a[i] = x;
    if (a[i] == 99)
        reach_error();
    return 0;
}

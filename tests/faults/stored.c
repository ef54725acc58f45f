// What was stored is read.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int a[8];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 8;
    a[i] = 1;
    if (a[i] == 1)
        reach_error();
    return 0;
}

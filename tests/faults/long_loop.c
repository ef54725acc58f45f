// The error comes late.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int() & 1;
    for (int i = 0; i < 20; i++)
        x += 2;
    if (x == 41)
        reach_error();
    return 0;
}

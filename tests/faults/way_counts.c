// The way decides.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned x = 0;
    int y = 1;
    while (__VERIFIER_nondet_int())
        x += 2;
    if (x & 1)
        y = 2;
    if (y == 2)
        reach_error();
    return 0;
}

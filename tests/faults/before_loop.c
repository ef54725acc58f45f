// The error is before a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 17)
        reach_error();
    while (x < 10)
        x += 3;
    if (x == 4)
        reach_error();
    return 0;
}

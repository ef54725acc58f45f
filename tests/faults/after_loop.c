// The error is behind a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = 0;
    while (x < 10)
        x++;
    if (__VERIFIER_nondet_int() == 17)
        reach_error();
    return 0;
}

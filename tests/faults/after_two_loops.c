// The error is behind two loops.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    while (x < 10)
        x += 3;
    while (y < x)
        y += 2;
    if (y == 12)
        reach_error();
    return 0;
}

// A loop computes what is compared later.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = x;
    for (int i = 0; i < 2; i++)
        y = y * x + 1;
    if (y == (x * x + 1) * x + 1)
        reach_error();
    return 0;
}

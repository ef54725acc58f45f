extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int twice = n / 4 * 2;
    int above = 0;
    if (n < 0)
        above = n - 1;
    if (n > 1000)
        above = n + 1;
    if (n > 1000 && above < twice)
        reach_error();
    return 0;
}

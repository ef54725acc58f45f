// The error is behind a loop whose rounds an input counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0;
    while (i < n)
        i++;
    if (i == 17)
        reach_error();
    return 0;
}

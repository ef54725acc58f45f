// The first check holds, the second is violated.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int known = 1;
    if (known != 1)
        reach_error();
    if (__VERIFIER_nondet_int() == 17)
        reach_error();
    return 0;
}

// The error is behind many conditions.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    if (__VERIFIER_nondet_int() == 0)
        return 0;
    if (__VERIFIER_nondet_int() == 1)
        return 0;
    if (__VERIFIER_nondet_int() == 2)
        return 0;
    if (__VERIFIER_nondet_int() == 3)
        return 0;
    if (__VERIFIER_nondet_int() == 4)
        return 0;
    if (__VERIFIER_nondet_int() == 5)
        return 0;
    if (__VERIFIER_nondet_int() == 6)
        return 0;
    if (__VERIFIER_nondet_int() == 7)
        return 0;
    if (__VERIFIER_nondet_int() == 8)
        return 0;
    if (__VERIFIER_nondet_int() == 9)
        return 0;
    if (__VERIFIER_nondet_int() == 10)
        return 0;
    if (__VERIFIER_nondet_int() == 11)
        return 0;
    if (__VERIFIER_nondet_int() == 12)
        return 0;
    if (__VERIFIER_nondet_int() == 13)
        return 0;
    reach_error();
}

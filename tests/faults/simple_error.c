// The error is a step away.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    if (__VERIFIER_nondet_int() == 17)
        reach_error();
    return 0;
}

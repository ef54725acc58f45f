// The remainder of a negative number is negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x % 7 == -3)
        reach_error();
    return 0;
}

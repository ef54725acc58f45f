// The remainder of a number that may be negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = x % 8;
    if (y < 0)
        reach_error();
    return 0;
}

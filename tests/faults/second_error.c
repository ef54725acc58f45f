// The second error is the one that is reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < y && y < x)
        reach_error();
    if (x == 17)
        reach_error();
    return 0;
}

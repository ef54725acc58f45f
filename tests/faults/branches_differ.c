// The branches do different things.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x > 5)
        y = y + 1;
    else
        y = y + 2;
    if (x == 3 && y == 12)
        reach_error();
    return 0;
}

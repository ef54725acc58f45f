// What is less or equal may be equal.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int() & 7;
    if (x <= y) {
        if (x == 7)
            reach_error();
    }
    return 0;
}

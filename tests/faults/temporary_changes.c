// What a variable was copied from changes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 10)
        x -= 3;
    int y = x;
    x = x + 5;
    if (y == 7 && x == 12)
        reach_error();
    return 0;
}

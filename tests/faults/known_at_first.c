// What was known is replaced by an input.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = 0, y = __VERIFIER_nondet_int();
    while (y > 100)
        y -= 7;
    x = y;
    if (x == 17)
        reach_error();
    return 0;
}

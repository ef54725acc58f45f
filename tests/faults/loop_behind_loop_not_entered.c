// Who has been in the first loop does not come to the second.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x < 10)
        x += 20;
    if (x != 50)
        return 0;
    while (y < x)
        y += 3;
    if (y == 51)
        reach_error();
    return 0;
}

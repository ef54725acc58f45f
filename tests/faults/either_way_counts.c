// Both ways from a branch lead on.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    while (x > 10) {
        if (x & 1)
            y = 1;
        else
            y = 2;
        x -= 5;
    }
    if (y == 2 && x == 7)
        reach_error();
    return 0;
}

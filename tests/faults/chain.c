// One thing is done after the other.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    while (x > 0) {
        y += 2;
        x -= 3;
        if (y == 8)
            x -= 100;
    }
    if (x < -80)
        reach_error();
    return 0;
}

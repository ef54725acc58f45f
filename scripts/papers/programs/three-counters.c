/* Birgmeier, section 4.3 (xyz): three counters; the sum of two is known. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, y = 0, z = 0;
    while (__VERIFIER_nondet_int() && x < 1000000) {
        x++;
        y++;
        z -= 2;
    }
    while (x > 0) {
        z++;
        z++;
        x--;
        y--;
    }
    if (y == 0 && x == 0 && z != 0)
        reach_error();
    return 0;
}

/* Birgmeier, section 4.3 (xy4): as with two counters that fall together, but with a distance. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int() && x < 1000000) {
        x++;
        y++;
    }
    while (x > 4) {
        x--;
        y--;
    }
    if (x == 4 && y != 4)
        reach_error();
    return 0;
}

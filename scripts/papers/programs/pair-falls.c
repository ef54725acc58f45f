/* Birgmeier, section 4.3 (xy0): two counters rise together; when one has fallen to zero, so has the other.
   Only mining of states finds x - y. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int() && x < 1000000) {
        x++;
        y++;
    }
    while (x != 0) {
        x--;
        y--;
    }
    if (y != 0)
        reach_error();
    return 0;
}

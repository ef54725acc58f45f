/* Komuravelli et al., Figure 1(a), after Gulavani et al.: hard with the assignment to t, easy if t is
   arbitrary. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, y = 0, z = 0, w = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            x++;
            y += 100;
        } else if (__VERIFIER_nondet_int()) {
            if (x >= 4) {
                x++;
                y++;
            }
        } else if (y > 10 * w && z >= 100 * x) {
            y = -y;
        }
        int t = 1;
        w += t;
        z += 10 * t;
    }
    if (x >= 4 && y <= 2)
        reach_error();
    return 0;
}

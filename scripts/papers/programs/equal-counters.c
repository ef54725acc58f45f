/* Beyer, Dangl and Wendler, Figure 2: two counters stay equal in a loop with ten rounds; all four prove it. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    unsigned x = 0, y = 0;
    while (x < 10) {
        x++;
        y++;
        if (x != y)
            reach_error();
    }
    return 0;
}

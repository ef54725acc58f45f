/* A bound that no run comes near, and that no constant of the program is. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 0, half = 0;
    while (__VERIFIER_nondet_int()) {
        if (x < 100000007)
            x += 13;
        half = x / 2;
    }
    if (half > 50000009)
        reach_error();
    return 0;
}

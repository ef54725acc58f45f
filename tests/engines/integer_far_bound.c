/* A bound that no run comes near, in mathematical integers. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    long long x = 0, half = 0;
    while (__VERIFIER_nondet_int()) {
        if (x > -100000007)
            x -= 13;
        half = x / 2;
    }
    if (half < -50000010)
        reach_error();
    return 0;
}

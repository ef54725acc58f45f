/* Three checks: with --all, each is decided by itself. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned i = 0, twice = 0, limit = __VERIFIER_nondet_uint();
    if (limit / 2 > limit)
        reach_error();
    while (i < limit && i < 1000) {
        i++;
        twice += 2;
    }
    if (i == 7)
        reach_error();
    if (twice != 2 * i)
        reach_error();
    return 0;
}

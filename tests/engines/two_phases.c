/* What y is depends on how far x has come. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 0, y = 30000, end = __VERIFIER_nondet_uint();
    if (end < 30000)
        return 0;
    while (x != end) {
        if (x >= 30000)
            y++;
        x++;
    }
    if (x != y)
        reach_error();
    return 0;
}

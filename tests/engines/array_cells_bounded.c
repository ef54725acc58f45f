/* Whatever was written where: the sum of two cells is small. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

unsigned table[1000];

int main(void)
{
    unsigned i, j, k;
    while (__VERIFIER_nondet_uint()) {
        i = __VERIFIER_nondet_uint();
        k = __VERIFIER_nondet_uint();
        if (i < 1000 && k < 20)
            table[i] = 3 * k;
    }
    i = __VERIFIER_nondet_uint();
    j = __VERIFIER_nondet_uint();
    if (i < 1000 && j < 1000 && table[i] + table[j] > 114)
        reach_error();
    return 0;
}

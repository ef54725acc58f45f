/* The sum of two cells is as large as it can be. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

unsigned table[10];

int main(void)
{
    unsigned i, j, k;
    while (__VERIFIER_nondet_uint()) {
        i = __VERIFIER_nondet_uint();
        k = __VERIFIER_nondet_uint();
        if (i < 10 && k < 20)
            table[i] = 3 * k;
    }
    i = __VERIFIER_nondet_uint();
    j = __VERIFIER_nondet_uint();
    if (i < 10 && j < 10 && table[i] + table[j] > 113)
        reach_error();
    return 0;
}

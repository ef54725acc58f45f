/* A number of 32 bits may be shifted by 32. */
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    return n <= 32 ? 1u << n : 0;
}

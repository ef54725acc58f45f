/* Neither provable nor found by chance: whether a linear congruential generator passes through a value. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned long long n = 0;
    while (__VERIFIER_nondet_int())
        n = n * 6364136223846793005ull + 1442695040888963407ull;
    if (n == 12345678912345ull)
        reach_error();
    return 0;
}

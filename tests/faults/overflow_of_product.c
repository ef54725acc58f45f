/* A product of two numbers of 64 bits; their sum is in the type. */
extern long long __VERIFIER_nondet_longlong(void);

int main(void)
{
    long long x = __VERIFIER_nondet_longlong(), y = __VERIFIER_nondet_longlong();
    if (x > 0 && x < 10 && y > 0 && y < 4000000000000000000)
        x = x * y;
    return 0;
}

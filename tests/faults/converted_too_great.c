/* The number behind the greatest int may be converted. */
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    return x >= 0 && x <= 2147483648.0 ? (int)x : 0;
}

/* Quotient and remainder by a divisor that is an input, of both signs. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = (__VERIFIER_nondet_int() & 31) - 16;
    int y = (__VERIFIER_nondet_int() & 7) - 4;
    if (y == 0)
        return 0;
    int quotient = x / y, remainder = x % y;
    if (quotient * y + remainder != x)
        reach_error();
    if (x < 0 ? remainder > 0 : remainder < 0)
        reach_error();
    return 0;
}

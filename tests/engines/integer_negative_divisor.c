/* A quotient of -5 and a remainder of -2: -17 by 3 has them. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y < -6 || y > 6 || y == 0)
        return 0;
    if (x / y == -5 && x % y == -2)
        reach_error();
    return 0;
}

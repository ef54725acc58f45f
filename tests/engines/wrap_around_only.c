/* A sum of two positive numbers is negative only by wrapping around. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    unsigned u = (unsigned)__VERIFIER_nondet_int();
    if (x <= 0)
        return 0;
    if (x + 100 < x && u + 1 == 0)
        reach_error();
    return 0;
}

/* The least int has no quotient by -1, and so no remainder. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y < 0)
        x = x % y;
    return 0;
}

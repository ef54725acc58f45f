/* Each x is at most half of the one before, unless the product overflows, which ends the behaviour that C defines. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x > 0) {
        int before = x;
        x = __VERIFIER_nondet_int();
        if (2 * x > before)
            break;
    }
    return 0;
}

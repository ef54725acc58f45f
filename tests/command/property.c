/* Whether something is wrong here depends on the property. */
extern int __VERIFIER_nondet_int(void);

void trap(void) {}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == 5)
        trap();
    if (x > 100) {
BAD:    x = 0;
    }
    return 0;
}

/* The sum of two ints may be one more than the greatest. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 0 && x <= 1073741824)
        x = x + x;
    return 0;
}

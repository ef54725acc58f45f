/* A number from 0 to 255 may become a negative signed char. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    x = (signed char)(x & 255) - 2147483647;
    return 0;
}

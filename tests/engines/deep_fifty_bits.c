/* Fifty inputs make up the bits of a number. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned long long number = 0;
    int i;
    for (i = 0; i < 50; i++)
        number = number << 1 | (__VERIFIER_nondet_int() & 1);
    if (number == 0x2A5F00D1234ABull)
        reach_error();
    return 0;
}

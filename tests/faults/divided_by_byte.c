/* A byte may be zero. */
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar();
    return 5 / x;
}

extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
static char a[8], b[8];

int main(void)
{
    int first = __VERIFIER_nondet_int();
    char *p = first ? a : b;
    unsigned long n = __VERIFIER_nondet_ulong();
    if (first && n == 1UL << 36)
        p[n] = 1;
    return 0;
}

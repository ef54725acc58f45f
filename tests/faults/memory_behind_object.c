extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *p = malloc(3);
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i <= 3)
        p[i] = 1;
    return 0;
}

/* -1 is more than ten where the other side is unsigned, but not where it is a char. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    unsigned u = 10;
    unsigned char c = 10;
    if (i < 0 && i > c)
        reach_error();
    if (i < 0 && i > u && (long)i < (long)u)
        reach_error();
    return 0;
}

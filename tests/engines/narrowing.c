/* Conversions to char and short drop bits, and extend the sign. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    short s = (short)x;
    signed char c = (signed char)x;
    unsigned char u = (unsigned char)s;
    if (x > 70000 && s == c && c < 0 && u == 200)
        reach_error();
    return 0;
}

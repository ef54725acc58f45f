/* A conversion to _Bool asks whether the value is zero, and drops no bits. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    _Bool b = x, c = 0.25, d = x & 256;
    int doubled = b + b;
    b += 5;
    d |= (x >> 8) & 1;
    if (b != 1 || c != 1 || d != ((x & 256) != 0))
        reach_error();
    if (doubled != (x ? 2 : 0))
        reach_error();
    return 0;
}

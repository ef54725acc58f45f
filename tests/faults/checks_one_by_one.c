// The first check and the third hold, the second is violated by few inputs.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y, z = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_uint())
        x++;
    if (x > 4)
        y = x;
    else
        y = 4;
    if (y < 4)
        reach_error();
    z ^= z >> 15;
    z *= 2654435761u;
    z ^= z >> 13;
    if (z == 123456789u)
        reach_error();
    if (x > 7)
        y = x;
    else
        y = 7;
    if (y < 7)
        reach_error();
    return 0;
}

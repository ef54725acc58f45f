/* A rotation by a variable distance and back; an arithmetic shift keeps the sign. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = (unsigned)__VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int by = __VERIFIER_nondet_int() & 31;
    unsigned left = x << by | x >> (-by & 31);
    unsigned back = left >> by | left << (32 - by & 31);
    if (back != x)
        reach_error();
    if ((y >> by < 0) != (y < 0))
        reach_error();
    return 0;
}

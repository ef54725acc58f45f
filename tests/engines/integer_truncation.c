/* Division rounds towards zero, and the remainder has the sign of the dividend. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x / 4 * 4 + x % 4 != x)
        reach_error();
    if (x < 0 && (x % 4 > 0 || x / 4 > 0))
        reach_error();
    if (x == -7 && (x / 2 != -3 || x % -4 != -3))
        reach_error();
    return 0;
}

/* After 34 doublings a number is beyond the range of machine integers, and still positive. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int i, y = x;
    if (x < 1 || x > 3)
        return 0;
    for (i = 0; i < 34; i++)
        y = y + y;
    if (y > 2147483647 && y - x > 2147483647 && x == 3)
        reach_error();
    return 0;
}

/* Two loops one after the other; the second goes in steps of two, and misses zero when n is odd. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int up = 0;
    if (n < 9 || n > 12)
        return 0;
    while (up < n)
        up++;
    do
        up -= 2;
    while (up > 0);
    if (up != 0 && n != 9)
        reach_error();
    return 0;
}

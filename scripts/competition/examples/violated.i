extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

/* The sum of two indices can exceed what an int holds, and half of it is then negative. */
int main(void)
{
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low < 0 || high < low)
        return 0;
    int middle = (int)((unsigned)low + (unsigned)high) / 2;
    if (middle < low || middle > high)
        reach_error();
    return 0;
}

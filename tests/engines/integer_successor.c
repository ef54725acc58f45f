/* x + 1 > x for every mathematical integer. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x + 1 <= x)
        reach_error();
    if (x > 0 && y > 0 && x + y < 2)
        reach_error();
    return 0;
}

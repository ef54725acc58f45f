/* y == 2 * x is needed, and no step in the loop refers to it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) {
        x += 1;
        y += 2;
    }
    if (y != 2 * x)
        reach_error();
    return 0;
}

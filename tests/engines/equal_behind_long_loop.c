/* Two variables that are equal, in a loop that no run comes to. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned n = 0, x = 0, y = 0;
    while (n < 500000000)
        n++;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            x = x * 5 + 1, y = 5 * x - 4 * y;
        if (x != y)
            y = x;
        x += n;
        y += n;
    }
    if (x != y)
        reach_error();
    return 0;
}

/* What goes up stays above what goes down. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int low = __VERIFIER_nondet_int(), high = low + 1;
    while (__VERIFIER_nondet_int()) {
        int step = __VERIFIER_nondet_int();
        if (high <= low)
            reach_error();
        if (step > 0)
            high += step;
        low--;
    }
    return 0;
}

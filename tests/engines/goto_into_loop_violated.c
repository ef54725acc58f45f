/* Who enters the loop in the middle is one short of the rest. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int ticks = 0, tocks = 0;
    if (__VERIFIER_nondet_int() == 42)
        goto middle;
    while (tocks < 12) {
        ticks++;
    middle:
        tocks++;
    }
    if (ticks != tocks)
        reach_error();
    return 0;
}

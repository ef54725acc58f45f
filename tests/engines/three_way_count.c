/* Each turn counts for one of three, however it is chosen. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned turns = 0, red = 0, green = 0, blue = 0;
    while (__VERIFIER_nondet_int()) {
        int which = __VERIFIER_nondet_int();
        if (which < 0)
            red++;
        else if (which == 0)
            green++;
        else
            blue++;
        turns++;
    }
    if (red + green + blue != turns)
        reach_error();
    return 0;
}

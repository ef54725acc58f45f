/* A remainder that is another one than what the usual steps suggest. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 1, steps = 0;
    while (__VERIFIER_nondet_int() && x < 1000000000) {
        x += 12;
        steps++;
        if (steps == 50000000)
            x += 18;
    }
    if (x == 123456780)
        reach_error();
    return 0;
}

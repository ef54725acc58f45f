/* Three modes far apart, the second of which takes long to come to. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned steps = 0, mode = 3, half = 1;
    while (__VERIFIER_nondet_int()) {
        steps++;
        if (steps == 500000000) {
            steps = 0;
            mode = mode == 3 ? 700 : mode == 700 ? 40000 : 3;
        }
        half = mode / 2;
    }
    if (half == 351)
        reach_error();
    return 0;
}

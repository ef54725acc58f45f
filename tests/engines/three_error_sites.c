/* Of three calls only the last one can be reached. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = x & 15;
    if (y > 15)
        reach_error();
    if (y * y > 225)
        reach_error();
    while (y != 0 && y < 64) {
        y *= 2;
        if (y == 88 && x < -1000)
            reach_error();
    }
    return 0;
}

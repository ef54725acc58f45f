/* The digits 7, 3, 9, 1 in a row open the lock. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int state = 0, tries;
    for (tries = 0; tries < 1000; tries++) {
        int digit = __VERIFIER_nondet_int();
        if (digit < 0 || digit > 9)
            continue;
        switch (state * 10 + digit) {
        case 7: case 17: case 27: case 37:
            state = 1; break;
        case 13: case 29:
            state++; break;
        case 31:
            reach_error();
        default:
            state = 0;
        }
    }
    return 0;
}

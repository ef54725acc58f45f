/* Even steps from zero keep a number even, also where it wraps around. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() < 0)
            x += 2;
        else
            x -= 4;
        if (x % 2 != 0)
            reach_error();
    }
    return 0;
}

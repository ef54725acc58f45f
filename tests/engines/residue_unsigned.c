/* All ways backwards from 50 end after 17 steps: inductive for a larger k alone. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 0;
    while (1) {
        if (x == 50)
            reach_error();
        if (x < 1000)
            x += 3;
        else
            x = 0;
        if (__VERIFIER_nondet_int() == 1)
            x = 0;
    }
}

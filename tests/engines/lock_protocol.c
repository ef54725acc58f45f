/* Lock and unlock alternate: one iteration without an error shows the next to have none. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int lock;

int main(void)
{
    int held = 0;
    do {
        if (held) {
            if (!lock)
                reach_error();
            lock = held = 0;
        } else {
            if (lock)
                reach_error();
            lock = held = 1;
        }
    } while (__VERIFIER_nondet_int());
    return 0;
}

/* One path through the loop forgets to unlock, and the next iteration finds out. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int lock;

static void acquire(void)
{
    if (lock)
        reach_error();
    lock = 1;
}

int main(void)
{
    while (__VERIFIER_nondet_int() != 0) {
        acquire();
        if (__VERIFIER_nondet_int() == 1234)
            continue;
        lock = 0;
    }
    return 0;
}

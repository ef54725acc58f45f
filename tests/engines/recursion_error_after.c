// The error comes right after the recursive function has come back.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int count(int steps) { return steps <= 0 ? 0 : 1 + count(steps - 1); }

int main(void) {
    int steps = __VERIFIER_nondet_int() & 3;
    count(steps);
    reach_error();
    return 0;
}

// The error is in the third round of a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        count++;
        if (count == 3)
            reach_error();
    }
    return 0;
}

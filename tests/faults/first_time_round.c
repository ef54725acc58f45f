// The error is in the first time round the loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    for (int x = 0; x < 1000; x++)
        if (x == 0 && __VERIFIER_nondet_int() == 17)
            reach_error();
    return 0;
}

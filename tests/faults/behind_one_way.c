// Only one way round the loop counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned i = 0;
    int x = __VERIFIER_nondet_int() | 1;
    while (i < 10) {
        if (x == 0)
            i++;
    }
    reach_error();
}

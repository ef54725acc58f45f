// The second value counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = 0;
    int input = __VERIFIER_nondet_int();
    x = 1;
    if (x == 1 && input == 17)
        reach_error();
    return 0;
}

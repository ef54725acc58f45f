// A recursive function ends, and then there is an error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth(int n) {
    if (n <= 0)
        return 0;
    return depth(n - 1) + 1;
}
int main(void) {
    if (depth(__VERIFIER_nondet_int()) >= 0)
        reach_error();
    return 0;
}

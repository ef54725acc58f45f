// The order of arguments counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int less(int a, int b) {
    return a < b;
}
int main(void) {
    if (less(__VERIFIER_nondet_int() & 7, 9))
        reach_error();
    return 0;
}

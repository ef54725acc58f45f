// What one path has assumed another has not.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), x = 2;
    if (a > 0) {
        if (b > a)
            abort();
        x = 1;
    }
    if (x == 2)
        reach_error();
    return 0;
}

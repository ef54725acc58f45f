// One of two conditions is enough.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), x;
    x = a > 0 ? b : (b > 7 ? b : 2);
    if (a <= 0 && x == 9)
        reach_error();
    return 0;
}

// A value says at which of many places the way was left.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = x;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 1;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 2;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 3;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 4;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 5;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 6;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 7;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 8;
    if (__VERIFIER_nondet_int()) goto out;
    y = x + 9;
out:
    if (y == x + 1)
        reach_error();
    return 0;
}

// The first of many places at which the way is left is left for either of two reasons.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = x;
    int first = __VERIFIER_nondet_int();
    if (first) goto early;
    if (__VERIFIER_nondet_int()) goto early;
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
    goto out;
early:
    y = x + 1;
out:
    if (y == x + 1 && !first)
        reach_error();
    return 0;
}

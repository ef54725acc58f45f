/* Two counters together grow as a third does: an equation between three variables, and no conjunction of orders. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int left = 0, right = 0, both = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            left++;
        else
            right++;
        both++;
    }
    if (left + right != both)
        reach_error();
    return 0;
}

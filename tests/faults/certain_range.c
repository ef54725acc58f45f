// All that goes on has passed the first condition.
extern unsigned __VERIFIER_nondet_uint(void);
extern void abort(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x >= 10)
        abort();
    if (x < 5)
        reach_error();
    return 0;
}

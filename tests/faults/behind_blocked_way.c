// Nobody comes to the error.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

extern void abort(void);
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    if (i < n)
        abort();
    if (i < n)
        reach_error();
    return 0;
}

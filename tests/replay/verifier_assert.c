// The verifier's own assertion, and functions that mean nothing in a single thread.
extern void __VERIFIER_assert(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern short __VERIFIER_nondet_short(void);

int main(void)
{
    __VERIFIER_atomic_begin();
    short x = __VERIFIER_nondet_short();
    __VERIFIER_atomic_end();
    __VERIFIER_assert(x != 30000);
    return 0;
}

// A failing assertion counts, where no property file says otherwise.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 1000);
    assert(x != 2000);
    return 0;
}

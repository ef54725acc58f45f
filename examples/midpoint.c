// The midpoint of a binary search, the way it stood in many libraries for years: the sum of the two
// indices can exceed what an int holds, and the midpoint is then negative.
//
//   regatta examples/midpoint.c      prints RESULT: FALSE(no-overflow)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low < 0 || high < low)
        return 0;
    int middle = (low + high) / 2;
    assert(low <= middle && middle <= high);
    return 0;
}

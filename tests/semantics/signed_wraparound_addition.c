/* Signed addition and subtraction wrap around. */
#include "observe.h"
#include <limits.h>

int main(void)
{
    int max = INT_MAX, min = INT_MIN;
    long long lmax = LLONG_MAX, lmin = LLONG_MIN;
    long n = LONG_MAX;
    OBSERVE(max + 1);
    OBSERVE(max + 1 < max);
    OBSERVE(min - 1);
    OBSERVE(max + max);
    OBSERVE(min + min);
    OBSERVE(max - min);
    OBSERVE(lmax + 1);
    OBSERVE(lmin - 1);
    OBSERVE(n + 1 < 0);
    OBSERVE(n + 1);
    max++;
    OBSERVE(max == INT_MIN);
    --max;
    OBSERVE(max == INT_MAX);
    max += 10;
    OBSERVE(max);
    return 0;
}

/* Signed products, negation and abs-like code wrap around. */
#include "observe.h"
#include <limits.h>

int main(void)
{
    int i = 65536, min = INT_MIN, h = 12345, n;
    long long ll = 3037000500ll;
    OBSERVE(i * i);
    OBSERVE(i * 32768);
    OBSERVE(-min);
    OBSERVE(min * -1);
    OBSERVE(min * 3);
    OBSERVE(ll * ll);
    OBSERVE(-LLONG_MIN == LLONG_MIN);
    for (n = 0; n < 6; n++) {
        h = h * 1103515245 + 12345;
        OBSERVE(h);
    }
    OBSERVE((min < 0 ? -min : min) < 0);
    return 0;
}

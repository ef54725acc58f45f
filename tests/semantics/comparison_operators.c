/* Comparisons give an int 0 or 1 and can be computed with. */
#include "observe.h"

int main(void)
{
    int a = 3, b = 5, c = 4;
    OBSERVE((a < b) + (b < a) + (a <= 3) + (a >= 4));
    OBSERVE(a < c < b);
    OBSERVE(b > c > a);
    OBSERVE(a == b == 0);
    OBSERVE((a != b) * 17);
    OBSERVE(-(a < b));
    OBSERVE(sizeof(a < 1ll));
    OBSERVE(!(a > b) ^ (a == 3));
    OBSERVE((a < b) << 4);
    OBSERVE(0 < -1u);
    OBSERVE(1 - (c == 4));
    OBSERVE(-1l < 0u);
    OBSERVE(-1ll < 0u);
    return 0;
}

/* (a / b) * b + a % b == a, for all signs and widths. */
#include "observe.h"

static int holds(long long a, long long b) { return a / b * b + a % b == a; }

int main(void)
{
    int a, b, all = 1;
    for (a = -20; a <= 20; a++)
        for (b = -5; b <= 5; b++)
            if (b != 0)
                all = all && holds(a, b) && a / b * b + a % b == a;
    OBSERVE(all);
    OBSERVE(holds(-9223372036854775807ll - 1, 3));
    OBSERVE((-9223372036854775807ll - 1) / 10);
    OBSERVE((-9223372036854775807ll - 1) % 10);
    OBSERVE(9223372036854775807ll / -1000000007);
    OBSERVE(9223372036854775807ll % -1000000007);
    OBSERVE((-2147483647 - 1) / 2);
    OBSERVE((-2147483647 - 1) % 7);
    return 0;
}

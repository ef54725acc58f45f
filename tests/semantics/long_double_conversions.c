/* long double to and from the other types. */
#include "observe.h"

static long double half(long double x) { return x / 2; }

int main(void)
{
    long long l = 9223372036854775807ll;
    unsigned long long w = 18446744073709551615ull;
    long double x = l, y = w, z = 0.1f;
    long double array[2] = { 1, -2.5 };
    OBSERVE_LONG_DOUBLE(x);
    OBSERVE_LONG_DOUBLE(y);
    OBSERVE((long long)x);
    OBSERVE((unsigned long long)y);
    OBSERVE((long long)(x - 0.5L));
    OBSERVE_FLOAT((float)(1.0L + 0x1p-24L + 0x1p-60L));
    OBSERVE_DOUBLE((double)(1.0L + 0x1p-53L + 0x1p-63L));
    OBSERVE_DOUBLE((double)(1.0L + 0x1p-53L));
    OBSERVE_DOUBLE(z);
    OBSERVE((int)-2.9L);
    OBSERVE((unsigned)4000000000.5L);
    OBSERVE((_Bool)1e-4000L);
    OBSERVE_LONG_DOUBLE(half(array[1]));
    OBSERVE(x == l);
    OBSERVE((double)l == l);
    OBSERVE(y > 1.8446744073709550e19);
    return 0;
}

/* Integers that do not fit into the precision are rounded to nearest even. */
#include "observe.h"

int main(void)
{
    int i = 16777217, j = 16777219, k = -2147483647;
    unsigned u = 4294967295u;
    long long l = 9007199254740993ll, m = -9223372036854775807ll;
    unsigned long long w = 18446744073709551615ull, x = 9223372036854775809ull;
    OBSERVE_FLOAT(i);
    OBSERVE_FLOAT(j);
    OBSERVE_FLOAT(k);
    OBSERVE_DOUBLE(k);
    OBSERVE_FLOAT(u);
    OBSERVE_DOUBLE(u);
    OBSERVE_DOUBLE(l);
    OBSERVE_DOUBLE(l + 2);
    OBSERVE_FLOAT(l);
    OBSERVE_DOUBLE(m);
    OBSERVE_DOUBLE(w);
    OBSERVE_FLOAT(w);
    OBSERVE_DOUBLE(x);
    OBSERVE_DOUBLE(w - 1024);
    OBSERVE_DOUBLE(w - 1023);
    OBSERVE_FLOAT(0x8000008000000000ull);
    OBSERVE_FLOAT(0x8000008000000001ull);
    OBSERVE_DOUBLE((signed char)-1);
    OBSERVE_DOUBLE((unsigned char)-1);
    OBSERVE_DOUBLE((_Bool)7);
    return 0;
}

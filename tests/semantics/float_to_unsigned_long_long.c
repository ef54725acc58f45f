/* Values beyond the signed range go into unsigned long long. */
#include "observe.h"

int main(void)
{
    double d = 9223372036854775808.0, e = 18446744073709549568.0, h = 1.0e19;
    float f = 9223372036854775808.0f, g = 18446742974197923840.0f;
    long double l = 18446744073709551615.0L;
    OBSERVE((unsigned long long)d);
    OBSERVE((unsigned long long)e);
    OBSERVE((unsigned long long)h);
    OBSERVE((unsigned long long)f);
    OBSERVE((unsigned long long)g);
    OBSERVE((unsigned long long)l);
    OBSERVE((unsigned long long)1.99);
    OBSERVE((unsigned long)4294967295.75);
    OBSERVE((long long)-9223372036854775808.0);
    OBSERVE((long long)9223372036854774784.0);
    return 0;
}

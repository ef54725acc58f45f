/* The ten bytes of the x87 format: explicit leading bit, biased exponent. */
#include "observe.h"
#include <string.h>

static void show(long double x)
{
    unsigned long long mantissa;
    unsigned short exponent;
    memcpy(&mantissa, &x, 8);
    memcpy(&exponent, (char *)&x + 8, 2);
    OBSERVE(mantissa);
    OBSERVE(exponent);
}

int main(void)
{
    union { long double value; unsigned char bytes[10]; } u = { 1.0L };
    show(1.0L);
    show(-0.75L);
    show(0.0L);
    show(1e-4940L);
    show(1.0L / 3);
    u.bytes[9] |= 0x80;
    u.bytes[7] |= 0x40;
    OBSERVE_LONG_DOUBLE(u.value);
    OBSERVE(sizeof(long double));
    return 0;
}

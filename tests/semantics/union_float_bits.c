/* Reading the bits of floats and making floats from bits. */
#include "observe.h"

union f { float f; unsigned u; int i; };
union d { double d; unsigned long long u; unsigned halves[2]; };

static int exponent(double x) { union d d; d.d = x; return (int)(d.u >> 52 & 0x7ff) - 1023; }

int main(void)
{
    union f f;
    union d d;
    f.f = 1.0f;
    OBSERVE(f.u);
    f.f = -0.0f;
    OBSERVE(f.u);
    f.u = 0x40490fdb;
    OBSERVE_FLOAT(f.f * 2);
    f.u ^= 0x80000000;
    OBSERVE(f.f < 0);
    f.i = 1;
    OBSERVE(f.f > 0 && f.f / 2 == 0);
    d.d = 1.0;
    OBSERVE(d.halves[1]);
    OBSERVE(d.halves[0]);
    d.u++;
    OBSERVE(d.d > 1.0);
    OBSERVE_DOUBLE(d.d - 1.0);
    OBSERVE(exponent(1024.5));
    OBSERVE(exponent(0.1));
    return 0;
}

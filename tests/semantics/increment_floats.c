/* ++ and -- add and subtract one, with rounding. */
#include "observe.h"

int main(void)
{
    float f = 0.5f, big = 16777216.0f;
    double d = -0.5, tiny = 1e-20;
    long double l = 2.25L;
    OBSERVE_FLOAT(f++);
    OBSERVE_FLOAT(f);
    OBSERVE_FLOAT(++f);
    OBSERVE_FLOAT(f--);
    OBSERVE_FLOAT(++big);
    OBSERVE_FLOAT(--big);
    OBSERVE_DOUBLE(++d);
    OBSERVE_DOUBLE(d--);
    OBSERVE_DOUBLE(d);
    OBSERVE_DOUBLE(++tiny);
    OBSERVE_DOUBLE(--tiny);
    OBSERVE_LONG_DOUBLE(l++);
    OBSERVE_LONG_DOUBLE(--l);
    return 0;
}

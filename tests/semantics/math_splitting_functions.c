/* frexp, ldexp, modf and nextafter take floats apart. */
#include "observe.h"
#include <math.h>

int main(void)
{
    int e;
    double whole;
    OBSERVE_DOUBLE(frexp(12.0, &e));
    OBSERVE(e);
    OBSERVE_DOUBLE(frexp(-0.1, &e));
    OBSERVE(e);
    OBSERVE_DOUBLE(frexp(0.0, &e));
    OBSERVE(e);
    OBSERVE_DOUBLE(ldexp(0.75, 4));
    OBSERVE_DOUBLE(ldexp(1.0, -1074));
    OBSERVE_DOUBLE(scalbn(3.0, -2));
    OBSERVE_DOUBLE(modf(-3.75, &whole));
    OBSERVE_DOUBLE(whole);
    OBSERVE_DOUBLE(nextafter(1.0, 2.0));
    OBSERVE_DOUBLE(nextafter(1.0, 0.0));
    OBSERVE_DOUBLE(nextafter(0.0, -1.0));
    OBSERVE_FLOAT(nextafterf(1.0f, 2.0f));
    OBSERVE_DOUBLE(logb(1000.0));
    OBSERVE(ilogb(0.3));
    return 0;
}

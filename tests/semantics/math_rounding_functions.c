/* floor, ceil, trunc, round, rint and nearbyint. */
#include "observe.h"
#include <math.h>

int main(void)
{
    double values[] = { 2.5, -2.5, 0.5, -0.3, 1e300 };
    unsigned i;
    for (i = 0; i < 5; i++) {
        double x = values[i];
        OBSERVE_DOUBLE(floor(x));
        OBSERVE_DOUBLE(ceil(x));
        OBSERVE_DOUBLE(trunc(x));
        OBSERVE_DOUBLE(round(x));
        OBSERVE_DOUBLE(rint(x));
        OBSERVE_DOUBLE(nearbyint(x));
    }
    OBSERVE_FLOAT(floorf(-1.5f));
    OBSERVE_FLOAT(ceilf(-0.25f));
    OBSERVE_FLOAT(roundf(0.49999997f));
    OBSERVE_FLOAT(truncf(-7.9f));
    OBSERVE_FLOAT(rintf(3.5f));
    OBSERVE_DOUBLE(round(0.49999999999999994));
    OBSERVE_DOUBLE(floor(-0.0));
    OBSERVE_LONG_DOUBLE(floorl(-1.5L));
    return 0;
}

/* fmin and fmax pass NaN over; fdim; fabs. */
#include "observe.h"
#include <math.h>

int main(void)
{
    double nan = NAN, inf = INFINITY;
    OBSERVE_DOUBLE(fmin(1.0, 2.0));
    OBSERVE_DOUBLE(fmax(1.0, -2.0));
    OBSERVE_DOUBLE(fmin(nan, 3.0));
    OBSERVE_DOUBLE(fmax(-3.0, nan));
    OBSERVE_DOUBLE(fmax(nan, nan));
    OBSERVE_DOUBLE(fmin(-inf, 5));
    OBSERVE(fmin(0.0, -0.0) == 0);
    OBSERVE_DOUBLE(fdim(5.0, 3.0));
    OBSERVE_DOUBLE(fdim(3.0, 5.0));
    OBSERVE_DOUBLE(fdim(nan, 5.0));
    OBSERVE_DOUBLE(fdim(inf, 5.0));
    OBSERVE_DOUBLE(fabs(-0.0));
    OBSERVE_DOUBLE(fabs(-2.5));
    OBSERVE_DOUBLE(fabs(-inf));
    OBSERVE_FLOAT(fminf(0.1f, 0.2f));
    OBSERVE_FLOAT(fmaxf(-0.1f, -0.2f));
    OBSERVE_FLOAT(fabsf(-1e-40f));
    OBSERVE_FLOAT(fdimf(1.0f, 0.9f));
    OBSERVE_LONG_DOUBLE(fmaxl(0.1L, 0.1));
    OBSERVE_LONG_DOUBLE(fabsl(-0.1L));
    return 0;
}

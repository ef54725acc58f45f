/* copysign and signbit work on zeros and infinities as well. */
#include "observe.h"
#include <math.h>

int main(void)
{
    OBSERVE_DOUBLE(copysign(3.0, -1.0));
    OBSERVE_DOUBLE(copysign(-3.0, 0.0));
    OBSERVE_DOUBLE(copysign(0.0, -2.0));
    OBSERVE_DOUBLE(copysign(INFINITY, -0.0));
    OBSERVE_FLOAT(copysignf(-1.5f, 1.0f));
    OBSERVE(!!signbit(-1.0));
    OBSERVE(!!signbit(1.0));
    OBSERVE(!!signbit(-0.0));
    OBSERVE(!!signbit(0.0f));
    OBSERVE(!!isnan(copysign(NAN, -1.0)));
    OBSERVE(!!signbit(-INFINITY));
    OBSERVE(!!signbit(-1e-4950L));
    OBSERVE_DOUBLE(fabs(copysign(2.0, -1.0)));
    return 0;
}

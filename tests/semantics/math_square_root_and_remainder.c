/* sqrt is correctly rounded; fmod and remainder are exact. */
#include "observe.h"
#include <math.h>

int main(void)
{
    OBSERVE_DOUBLE(sqrt(2.0));
    OBSERVE_DOUBLE(sqrt(0.1));
    OBSERVE_DOUBLE(sqrt(1e-310));
    OBSERVE_DOUBLE(sqrt(-0.0));
    OBSERVE_DOUBLE(sqrt(-1.0));
    OBSERVE_DOUBLE(sqrt(INFINITY));
    OBSERVE_FLOAT(sqrtf(2.0f));
    OBSERVE_LONG_DOUBLE(sqrtl(2.0L));
    OBSERVE_DOUBLE(fmod(5.5, 2.0));
    OBSERVE_DOUBLE(fmod(-5.5, 2.0));
    OBSERVE_DOUBLE(fmod(5.5, -2.0));
    OBSERVE_DOUBLE(fmod(1e17, 3.0));
    OBSERVE_DOUBLE(fmod(1.0, INFINITY));
    OBSERVE_DOUBLE(fmod(1.0, 0.0));
    OBSERVE_DOUBLE(fmod(-6.0, 3.0));
    OBSERVE_FLOAT(fmodf(1.0f, 0.1f));
    OBSERVE_DOUBLE(remainder(5.5, 2.0));
    OBSERVE_DOUBLE(remainder(5.0, 2.0));
    OBSERVE_DOUBLE(remainder(7.0, 2.0));
    OBSERVE_DOUBLE(remainder(-2.9, 2.0));
    return 0;
}

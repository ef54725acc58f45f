/* -0.0 equals 0.0 and yet keeps its sign. */
#include "observe.h"

int main(void)
{
    double zero = 0.0, minus = -zero, tiny = -1e-200;
    float f = -0.0f;
    OBSERVE_DOUBLE(minus);
    OBSERVE(minus == zero);
    OBSERVE(minus < zero);
    OBSERVE_DOUBLE(minus + zero);
    OBSERVE_DOUBLE(minus + minus);
    OBSERVE_DOUBLE(zero - zero);
    OBSERVE_DOUBLE(minus - zero);
    OBSERVE_DOUBLE(0.0 - zero);
    OBSERVE_DOUBLE(minus * 5);
    OBSERVE_DOUBLE(tiny * -tiny);
    OBSERVE_DOUBLE(tiny * tiny);
    OBSERVE_FLOAT(f);
    OBSERVE_FLOAT(-f);
    OBSERVE_FLOAT((float)tiny);
    OBSERVE_DOUBLE((double)(int)-0.5);
    OBSERVE_DOUBLE(1 / minus);
    return 0;
}

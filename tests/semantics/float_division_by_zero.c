/* Division by zero gives an infinity or NaN. */
#include "observe.h"

int main(void)
{
    double zero = 0.0, one = 1.0, minus = -0.0, inf = one / zero;
    float f = 0.0f;
    OBSERVE_DOUBLE(one / zero);
    OBSERVE_DOUBLE(-one / zero);
    OBSERVE_DOUBLE(one / minus);
    OBSERVE_DOUBLE(zero / zero);
    OBSERVE_FLOAT(-1.0f / f);
    OBSERVE_FLOAT(f / f);
    OBSERVE_DOUBLE(inf - inf);
    OBSERVE_DOUBLE(inf * zero);
    OBSERVE_DOUBLE(inf * -2);
    OBSERVE_DOUBLE(one / inf);
    OBSERVE_DOUBLE(-one / inf);
    OBSERVE_DOUBLE(inf / inf);
    OBSERVE(inf > 1e308);
    OBSERVE(-inf < -1e308);
    OBSERVE(inf == inf + 1);
    return 0;
}

/* Below the normal range the precision shrinks step by step. */
#include "observe.h"
#include <float.h>

int main(void)
{
    float f = FLT_MIN;
    double d = DBL_MIN;
    int n = 0;
    OBSERVE_FLOAT(f / 2);
    OBSERVE_FLOAT(f / 3);
    OBSERVE_FLOAT(f / 8388608);
    OBSERVE_FLOAT(f / 16777216);
    OBSERVE_FLOAT(f - f * 0.75f);
    OBSERVE_DOUBLE(d / 2);
    OBSERVE_DOUBLE(d / 3);
    OBSERVE_DOUBLE(d * DBL_EPSILON);
    OBSERVE_DOUBLE(d * DBL_EPSILON / 2);
    OBSERVE_DOUBLE(d * DBL_EPSILON * 1.5);
    while (f > 0) {
        f /= 2;
        n++;
    }
    OBSERVE(n);
    OBSERVE_FLOAT((float)1e-40);
    OBSERVE_DOUBLE(1e-40f);
    OBSERVE_FLOAT(1e-40f + 1e-41f);
    OBSERVE_FLOAT(1e-20f * 1e-22f);
    return 0;
}

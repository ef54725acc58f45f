/* fma rounds once; * and + round twice. */
#include "observe.h"
#include <math.h>

int main(void)
{
    double a = 1.0 + 0x1p-30, b = 1.0 - 0x1p-30, c = -1.0;
    float f = 1.0f + 0x1p-12f, g = -1.0f - 0x1p-11f;
    OBSERVE_DOUBLE(a * b + c);
    OBSERVE_DOUBLE(fma(a, b, c));
    OBSERVE_FLOAT(f * f + g);
    OBSERVE_FLOAT(fmaf(f, f, g));
    OBSERVE_DOUBLE(fma(0.1, 10.0, -1.0));
    OBSERVE_DOUBLE(0.1 * 10.0 - 1.0);
    OBSERVE_DOUBLE(fma(INFINITY, 0.0, 1.0));
    return 0;
}

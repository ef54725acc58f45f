/* fpclassify and its relatives. */
#include "observe.h"
#include <math.h>

static int class_of(double x)
{
    switch (fpclassify(x)) {
    case FP_NAN: return 1;
    case FP_INFINITE: return 2;
    case FP_ZERO: return 3;
    case FP_SUBNORMAL: return 4;
    case FP_NORMAL: return 5;
    }
    return 0;
}

static int bits(double x) { return !!isnan(x) + 2 * !!isinf(x) + 4 * !!isfinite(x) + 8 * !!isnormal(x) + 16 * !!signbit(x); }

int main(void)
{
    double values[] = { 0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, 5e-324, -1e-310 };
    unsigned i;
    for (i = 0; i < 8; i++) {
        OBSERVE(class_of(values[i]));
        OBSERVE(bits(values[i]));
    }
    OBSERVE(class_of(NAN));
    OBSERVE(!!isnan(NAN) + 2 * !!isinf(NAN) + 4 * !!isfinite(NAN) + 8 * !!isnormal(NAN));
    OBSERVE(fpclassify(1e-40f) == FP_SUBNORMAL);
    OBSERVE(fpclassify((double)1e-40f) == FP_NORMAL);
    OBSERVE(!!isinf(HUGE_VAL) && isinf(-HUGE_VAL));
    OBSERVE(!!signbit(-0.0f));
    OBSERVE(!!isnan(0.0L / (long double)values[0]));
    return 0;
}

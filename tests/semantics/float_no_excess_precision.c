/* Intermediate results have no more range or precision than their type. */
#include "observe.h"
#include <float.h>

static float product(float a, float b) { return a * b; }
static double sum(double a, double b) { return a + b; }

int main(void)
{
    float a = 1e30f, b = 1e30f, third = 1.0f / 3.0f;
    double x = 1e308, eps = 0x1p-53, one = 1.0;
    OBSERVE(FLT_EVAL_METHOD);
    OBSERVE_FLOAT(a * b / b);
    OBSERVE_FLOAT(product(a, b) / b);
    OBSERVE_DOUBLE(x * 10 / 10);
    OBSERVE_DOUBLE(one + eps - one);
    OBSERVE_DOUBLE(one + (eps + eps) - one);
    OBSERVE_DOUBLE(sum(one, eps) - one);
    OBSERVE(third == 1.0f / 3.0f);
    OBSERVE(third == 1.0 / 3.0);
    OBSERVE_FLOAT(third * 3.0f - 1.0f);
    OBSERVE_DOUBLE(third * 3.0 - 1.0);
    OBSERVE_FLOAT((a + 1.0f) - a);
    OBSERVE_DOUBLE(0.1 * 3 - 0.3);
    return 0;
}

/* Longer computations keep every rounding. */
#include "observe.h"

static double root(double a) { double x = a; int i; for (i = 0; i < 8; i++) x = (x + a / x) / 2; return x; }
static float rootf(float a) { float x = a; int i; for (i = 0; i < 8; i++) x = (x + a / x) / 2; return x; }
static double sine(double x) { double term = x, sum = x; int i; for (i = 1; i < 10; i++) { term = -term * x * x / (2 * i * (2 * i + 1)); sum += term; } return sum; }

int main(void)
{
    double p = 0;
    int i;
    OBSERVE_DOUBLE(root(2));
    OBSERVE_DOUBLE(root(10));
    OBSERVE_FLOAT(rootf(3));
    OBSERVE_DOUBLE(sine(1.0));
    OBSERVE_DOUBLE(sine(-0.5));
    for (i = 20; i >= 0; i--)
        p = p * 0.5 + 1.0 / (i + 1);
    OBSERVE_DOUBLE(p);
    return 0;
}

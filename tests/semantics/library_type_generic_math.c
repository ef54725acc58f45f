/* <tgmath.h>: the arguments' types choose the function. */
#include "observe.h"
#include <tgmath.h>

int main(void)
{
    float f = 2.25f;
    double d = 2.25;
    long double l = 2.25L;
    int i = 9;
    OBSERVE(sizeof(sqrt(f)) == sizeof(float));
    OBSERVE(sizeof(sqrt(d)) == sizeof(double));
    OBSERVE(sizeof(sqrt(l)) == sizeof(long double));
    OBSERVE(sizeof(sqrt(i)) == sizeof(double));
    OBSERVE(sizeof(fmax(f, d)) == sizeof(double));
    OBSERVE(sizeof(fmax(f, f)) == sizeof(float));
    OBSERVE(sqrt(f) == 1.5f && sqrt(d) == 1.5 && sqrt(l) == 1.5L && sqrt(i) == 3);
    OBSERVE(floor(-0.5f) == -1);
    OBSERVE((unsigned)ldexp(f, 2));
    return 0;
}

/* A loop counted in floats accumulates their rounding. */
#include "observe.h"

int main(void)
{
    float f, g = 0;
    double d;
    int n = 0, m = 0, k = 0;
    for (f = 0.0f; f < 1.0f; f += 0.1f)
        n++;
    for (d = 0.0; d < 1.0; d += 0.1)
        m++;
    OBSERVE(n);
    OBSERVE(m);
    OBSERVE_FLOAT(f);
    OBSERVE_DOUBLE(d);
    for (f = 16777210.0f; f < 16777220.0f && k < 20; f += 1.0f)
        k++;
    OBSERVE(k);
    for (n = 1; n <= 100; n++)
        g += 1.0f / n;
    OBSERVE_FLOAT(g);
    return 0;
}

/* Each operation of float is rounded to float. */
#include "observe.h"

int main(void)
{
    float a = 0.1f, b = 0.2f, c = 3.0f, big = 3e38f;
    OBSERVE_FLOAT(a + b);
    OBSERVE_FLOAT(a - b);
    OBSERVE_FLOAT(a * b);
    OBSERVE_FLOAT(1.0f / c);
    OBSERVE_FLOAT(-a);
    OBSERVE_FLOAT(a + b + c);
    OBSERVE_FLOAT(a * b * c);
    OBSERVE(a + b == 0.3f);
    OBSERVE_FLOAT(big + big);
    OBSERVE_FLOAT(big * 10.0f / 10.0f);
    OBSERVE_FLOAT((float)((double)big * 10.0 / 10.0));
    OBSERVE_DOUBLE(a * b);
    OBSERVE_DOUBLE((double)a * b);
    OBSERVE_FLOAT(1.0f + 1e-8f);
    OBSERVE_FLOAT(16777216.0f + 1.0f);
    OBSERVE_FLOAT(1e-30f * 1e-10f);
    return 0;
}

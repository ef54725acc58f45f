/* An integer that meets a floating operand is converted to its type. */
#include "observe.h"

int main(void)
{
    int i = 7;
    float f = 2.0f;
    double d = 2.0;
    unsigned u = 4294967295u;
    OBSERVE_FLOAT(i / f);
    OBSERVE_DOUBLE(i / d);
    OBSERVE(i / 2 == i / f);
    OBSERVE_FLOAT(16777217 + f);
    OBSERVE_DOUBLE(16777217 + d);
    OBSERVE_DOUBLE(u + d);
    OBSERVE(-1 < f);
    OBSERVE(u == -1.0);
    OBSERVE_DOUBLE(1 / 2 + d);
    OBSERVE_DOUBLE(1 / 2.0 + i);
    OBSERVE((int)(i * 0.5f));
    OBSERVE(16777217 == 16777216.0f);
    OBSERVE(16777217 == 16777216.0);
    return 0;
}

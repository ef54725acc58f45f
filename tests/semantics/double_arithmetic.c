/* Each operation of double is rounded to double, to nearest even. */
#include "observe.h"

int main(void)
{
    double a = 0.1, b = 0.2, c = 3.0, x = 1.0;
    int i;
    OBSERVE_DOUBLE(a + b);
    OBSERVE(a + b == 0.3);
    OBSERVE_DOUBLE(a - b);
    OBSERVE_DOUBLE(a * b);
    OBSERVE_DOUBLE(1.0 / c);
    OBSERVE_DOUBLE(a + b + c);
    OBSERVE_DOUBLE(c * (1.0 / c) - 1.0);
    OBSERVE_DOUBLE(9007199254740992.0 + 1.0);
    OBSERVE_DOUBLE(9007199254740994.0 + 1.0);
    OBSERVE_DOUBLE(1e308 * 10);
    OBSERVE_DOUBLE(1e-308 / 1e10);
    for (i = 0; i < 30; i++)
        x = x * 1.1 - 0.05;
    OBSERVE_DOUBLE(x);
    OBSERVE_DOUBLE(1e16 + 1.0 - 1e16);
    OBSERVE_DOUBLE(-x / c);
    return 0;
}

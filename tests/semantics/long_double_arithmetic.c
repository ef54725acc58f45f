/* long double has 64 bits of precision here. */
#include "observe.h"

int main(void)
{
    long double a = 1.0L, b = 3.0L, c = 0.1L, eps = 1.0L;
    double d = 0.1;
    int n = 0;
    OBSERVE_LONG_DOUBLE(a / b);
    OBSERVE_LONG_DOUBLE(c + 0.2L);
    OBSERVE_LONG_DOUBLE(c * b);
    OBSERVE_LONG_DOUBLE(c - d);
    OBSERVE(c == d);
    OBSERVE(c + 0.2L == 0.3L);
    while (1.0L + eps != 1.0L) {
        eps /= 2;
        n++;
    }
    OBSERVE(n);
    OBSERVE_LONG_DOUBLE(-a / b + d);
    OBSERVE((double)(1e308L * 10 / 10) == 1e308);
    OBSERVE_DOUBLE(1e308L * 10);
    OBSERVE_LONG_DOUBLE(18446744073709551615.0L + 1.0L);
    OBSERVE_LONG_DOUBLE(18446744073709551615.0L - 0.5L);
    return 0;
}

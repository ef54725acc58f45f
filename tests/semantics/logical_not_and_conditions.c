/* Scalars of every kind as conditions. */
#include "observe.h"

int main(void)
{
    double d = 0.0, e = -0.0, tiny = 5e-324, nan = 0.0 / (d + 0);
    float f = 1e-45f;
    long long wide = 1ll << 32;
    char c = 0;
    int *p = &(int){ 3 };
    OBSERVE(!d);
    OBSERVE(!e);
    OBSERVE(!tiny);
    OBSERVE(!nan);
    OBSERVE(nan ? 1 : 2);
    OBSERVE(f ? 1 : 2);
    OBSERVE(!wide);
    OBSERVE(wide ? 1 : 2);
    OBSERVE(!c);
    OBSERVE(!p);
    OBSERVE(!!p + !!wide);
    OBSERVE(!"x");
    if (tiny) OBSERVE(1); else OBSERVE(0);
    if (wide) OBSERVE(1); else OBSERVE(0);
    while (e) OBSERVE(9);
    OBSERVE(!main);
    return 0;
}

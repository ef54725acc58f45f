/* unsigned short promotes to int, so that the product wraps as a signed one. */
#include "observe.h"

int main(void)
{
    unsigned short u = 65535;
    short s = -32768;
    OBSERVE(u * u);
    OBSERVE(u * u > 0);
    OBSERVE((unsigned)(u * u));
    OBSERVE(s * s);
    OBSERVE(s * u);
    OBSERVE(u + u);
    OBSERVE(s - u);
    OBSERVE((short)(s - 1));
    OBSERVE((u * 1u) * u);
    OBSERVE(u * u / 2);
    return 0;
}

/* Narrow dividends are promoted; only the result is cut to fit. */
#include "observe.h"

int main(void)
{
    signed char a = -128, b = -1;
    short h = -32768;
    unsigned char u = 255;
    OBSERVE(a / b);
    OBSERVE((signed char)(a / b));
    OBSERVE(a % b);
    OBSERVE(h / b);
    OBSERVE((short)(h / b));
    OBSERVE(a / u);
    OBSERVE(h / u);
    OBSERVE(h % u);
    a /= 3;
    OBSERVE(a);
    a %= 5;
    OBSERVE(a);
    u /= b;
    OBSERVE(u);
    h %= -7;
    OBSERVE(h);
    return 0;
}

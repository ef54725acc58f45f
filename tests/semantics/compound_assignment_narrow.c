/* E1 op= E2 computes in the common type and converts the result back. */
#include "observe.h"

int main(void)
{
    unsigned char c = 250;
    signed char s = 100;
    short h = 30000;
    unsigned short u = 3;
    c += 10;
    OBSERVE(c);
    c -= 5;
    OBSERVE(c);
    c *= 7;
    OBSERVE(c);
    s += 100;
    OBSERVE(s);
    s -= 200;
    OBSERVE(s);
    s /= -3;
    OBSERVE(s);
    h *= 3;
    OBSERVE(h);
    h |= 0x18000;
    OBSERVE(h);
    u -= 4;
    OBSERVE(u);
    u /= -2;
    OBSERVE(u);
    c ^= 0xfff;
    OBSERVE(c);
    c %= 7;
    OBSERVE(c);
    OBSERVE(s += 128);
    OBSERVE((c = 255) + (h = 1));
    return 0;
}

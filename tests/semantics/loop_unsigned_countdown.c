/* An unsigned counter wraps below zero. */
#include "observe.h"

int main(void)
{
    unsigned u, n = 0;
    unsigned char c;
    long long s = 0;
    for (u = 5; u < 6; u--)
        n++;
    OBSERVE(n);
    OBSERVE(u);
    for (u = 3; u-- > 0;)
        n += 10;
    OBSERVE(n);
    OBSERVE(u);
    for (c = 10; c >= 1 && c <= 10; c -= 3)
        s += c;
    OBSERVE(s);
    OBSERVE(c);
    for (u = -3; u; u++)
        s += u;
    OBSERVE(s);
    return 0;
}

/* <<= and >>= compute in the promoted type and convert back. */
#include "observe.h"

int main(void)
{
    unsigned char c = 0x81;
    signed char s = -64;
    short h = 0x4001;
    int i = 3;
    unsigned long long u = 5;
    c <<= 1;
    OBSERVE(c);
    c >>= 1;
    OBSERVE(c);
    s <<= 1;
    OBSERVE(s);
    s <<= 1;
    OBSERVE(s);
    s = -5;
    s >>= 1;
    OBSERVE(s);
    h <<= 2;
    OBSERVE(h);
    i <<= i;
    OBSERVE(i);
    i >>= 2ll;
    OBSERVE(i);
    u <<= 61;
    OBSERVE(u);
    u >>= 3;
    OBSERVE(u);
    OBSERVE((c <<= 7) + 1);
    return 0;
}

/* Of a negative number it keeps the sign: an arithmetic shift. */
#include "observe.h"

int main(void)
{
    int i = -17;
    signed char c = -128;
    short s = -2;
    long long ll = -0x7fffffffffffll;
    int n;
    OBSERVE(i >> 1);
    OBSERVE(i >> 4);
    OBSERVE(i >> 31);
    OBSERVE(i >> 1 == i / 2);
    OBSERVE(c >> 3);
    OBSERVE(c >> 7);
    OBSERVE(s >> 1);
    OBSERVE(s >> 15);
    OBSERVE(ll >> 13);
    OBSERVE(ll >> 63);
    for (n = 0; n < 32; n += 9)
        OBSERVE((int)0x80000000 >> n);
    return 0;
}

/* __int128 where there is one. */
#include "observe.h"

#ifdef __SIZEOF_INT128__
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;
#else
typedef long long wide;
typedef unsigned long long unsigned_wide;
#endif
#define HIGH(x) OBSERVE((unsigned_wide)(x) >> (sizeof(wide) * 4))
#define BOTH(x) do { OBSERVE(x); HIGH(x); } while (0)

int main(void)
{
    wide a = 0x123456789abcdefll, b = -3;
    unsigned_wide u = -1;
    BOTH(a * a);
    BOTH(a * b);
    BOTH(a + b);
    BOTH(b - a);
    BOTH(u);
    BOTH(u * u);
    BOTH(-a);
    BOTH(~a);
    OBSERVE(b < a);
    OBSERVE(b < 0);
    OBSERVE((unsigned_wide)b > u - 5);
    OBSERVE(sizeof(wide));
    a = 1;
    while (a > 0)
        a <<= 1;
    BOTH(a);
    return 0;
}

/* Division, remainder and shifts of __int128 where there is one. */
#include "observe.h"

#ifdef __SIZEOF_INT128__
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;
#else
typedef long long wide;
typedef unsigned long long unsigned_wide;
#endif
#define HALF (sizeof(wide) * 4)
#define BOTH(x) do { OBSERVE(x); OBSERVE((unsigned_wide)(x) >> HALF); } while (0)

int main(void)
{
    wide a = -((wide)0x0123456789abcdefll << (HALF / 2)), b = 1000000007;
    unsigned_wide u = (unsigned_wide)a;
    BOTH(a / b);
    BOTH(a % b);
    BOTH(u / 12345);
    BOTH(u % 12345);
    BOTH(a >> 5);
    BOTH(a >> HALF);
    BOTH(u >> 7);
    BOTH(u << 13);
    BOTH(b << (HALF - 3));
    BOTH(a / -b);
    BOTH(a % -b);
    return 0;
}

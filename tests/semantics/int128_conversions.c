/* __int128 to and from the other types. */
#include "observe.h"

#ifdef __SIZEOF_INT128__
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;
#else
typedef long long wide;
typedef unsigned long long unsigned_wide;
#endif

static wide square(wide x) { return x * x; }

int main(void)
{
    int i = -5;
    unsigned u = 0xfffffffbu;
    wide a = i, b = u;
    unsigned_wide c = i;
    wide array[3] = { 1, -2, 3 };
    OBSERVE(a);
    OBSERVE(b);
    OBSERVE(a == b);
    OBSERVE((int)a == (int)b);
    OBSERVE(c == (unsigned_wide)-5);
    OBSERVE((signed char)(a * 100));
    OBSERVE(square(array[1]) + array[2]);
    OBSERVE_DOUBLE((double)square(123456789));
    OBSERVE_DOUBLE((double)a);
    OBSERVE((wide)-1.5e9);
    OBSERVE((_Bool)((wide)1 << (sizeof(wide) * 8 - 1)));
    return 0;
}

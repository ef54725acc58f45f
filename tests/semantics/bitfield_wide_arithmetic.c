/* Fields wider than int, where compilers agree; see also bitfield_own_width_of_gcc.c. */
#include "observe.h"

struct l { unsigned long long a : 40; long long b : 36; };

int main(void)
{
    struct l l;
    l.a = 0xffffffffffull;
    l.b = -1;
    OBSERVE(l.a >> 4);
    OBSERVE(l.b >> 4);
    OBSERVE(l.a == 0xffffffffffull);
    OBSERVE(l.a * 1ull + 1);
    OBSERVE(l.b + 0ll);
    OBSERVE((unsigned long long)l.a << 4);
    OBSERVE((long long)l.b * 2);
    OBSERVE(l.a > l.b);
    return 0;
}

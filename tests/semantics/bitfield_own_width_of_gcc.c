/* gcc computes with a field wider than int in the field's own width (clang in its declared type). */
#include "observe.h"

struct l { unsigned long long a : 40; long long b : 36; };

int main(void)
{
    struct l l;
    l.a = 0xffffffffffull;
    l.b = 0x7ffffffffll;
    OBSERVE(l.a + 1);
    OBSERVE(l.a << 4);
    OBSERVE(l.a + l.a);
    OBSERVE(-l.a);
    OBSERVE(~l.a);
    OBSERVE(l.a - 2ull + 3);
    OBSERVE(l.b + 1);
    OBSERVE(l.b << 1);
    OBSERVE(sizeof(l.a + 0));
    return 0;
}

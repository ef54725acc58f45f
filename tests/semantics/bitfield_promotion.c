/* A field promotes to int if int holds all its values, else to unsigned. */
#include "observe.h"

struct s { unsigned a : 31, b : 32; int c : 32; unsigned short d : 16; };

#define TYPE(x) _Generic((x), int: 1, unsigned: 2, default: 0)

int main(void)
{
    struct s s = { 1, 1, 1, 1 };
    OBSERVE(s.a - 2 < 0);
    OBSERVE(s.b - 2 < 0);
    OBSERVE(s.c - 2 < 0);
    OBSERVE(s.d - 2 < 0);
    OBSERVE(-s.a < 0);
    OBSERVE(-s.b < 0);
    OBSERVE(~s.a < 0);
    OBSERVE(TYPE(+s.a));
    OBSERVE(TYPE(+s.b));
    OBSERVE(TYPE(s.a + s.a));
    OBSERVE(TYPE(s.a + s.b));
    s.a = -1;
    OBSERVE(s.a + 1);
    OBSERVE(s.a << 1);
    OBSERVE(-1 < s.a);
    return 0;
}

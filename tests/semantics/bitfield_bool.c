/* A _Bool field converts like a _Bool. */
#include "observe.h"

struct s { _Bool a : 1, b : 1; unsigned c : 6; _Bool d; };

int main(void)
{
    struct s s = { 2, 0.5, 64, 4 };
    OBSERVE(s.a);
    OBSERVE(s.b);
    OBSERVE(s.c);
    OBSERVE(s.d);
    s.a = 0x100;
    OBSERVE(s.a);
    s.b = !s.a;
    OBSERVE(s.b);
    OBSERVE(s.a + s.a + s.d);
    s.b |= 2;
    OBSERVE(s.b);
    OBSERVE(sizeof s);
    return 0;
}

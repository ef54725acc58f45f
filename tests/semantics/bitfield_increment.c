/* ++ and -- on fields wrap at the field's width; their values too. */
#include "observe.h"

struct s { unsigned u : 3; int i : 3; _Bool b : 1; unsigned char c : 2; };

int main(void)
{
    struct s s = { 6, 2, 0, 3 };
    OBSERVE(s.u++);
    OBSERVE(s.u++);
    OBSERVE(s.u);
    OBSERVE(--s.u);
    OBSERVE(++s.u);
    OBSERVE(++s.i);
    OBSERVE(s.i++);
    OBSERVE(s.i);
    OBSERVE(s.i--);
    OBSERVE(s.i);
    OBSERVE(s.b++);
    OBSERVE(s.b++);
    OBSERVE(s.b);
    OBSERVE(s.b--);
    OBSERVE(s.c++);
    OBSERVE(s.c--);
    OBSERVE(s.c);
    return 0;
}

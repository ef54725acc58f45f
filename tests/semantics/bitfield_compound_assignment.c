/* Compound assignment computes in the promoted type, then cuts to the width. */
#include "observe.h"

struct s { unsigned u : 5; int i : 5; };

int main(void)
{
    struct s s = { 30, 14 }, *p = &s;
    OBSERVE(s.u += 5);
    OBSERVE(s.i += 5);
    OBSERVE(s.u -= 10);
    OBSERVE(s.i *= 3);
    OBSERVE(p->u <<= 2);
    OBSERVE(p->i >>= 1);
    OBSERVE(p->u |= 0x21);
    OBSERVE(p->i ^= 0x1f);
    OBSERVE(s.u /= 2);
    OBSERVE(s.i %= 4);
    OBSERVE(s.u &= ~1);
    OBSERVE(s.u);
    OBSERVE(s.i);
    s.u *= 1.5;
    OBSERVE(s.u);
    return 0;
}

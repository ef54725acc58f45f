/* Unions are copied, passed and returned by value, with all their bytes. */
#include "observe.h"

union u { int i; char c[6]; short s; };

static union u twist(union u u) { char t = u.c[0]; u.c[0] = u.c[3]; u.c[3] = t; return u; }

int main(void)
{
    union u a = { 0x11223344 }, b, list[2];
    a.c[5] = 9;
    b = a;
    b.s = -1;
    OBSERVE(a.i);
    OBSERVE(b.i);
    OBSERVE(b.c[5]);
    OBSERVE(twist(a).i);
    list[1] = twist(b);
    list[0] = list[1];
    OBSERVE(list[0].i);
    OBSERVE(list[0].c[5]);
    OBSERVE(sizeof(union u));
    OBSERVE((1 ? a : b).s);
    return 0;
}

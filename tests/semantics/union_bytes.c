/* The members of a union are views of the same bytes, little-endian. */
#include "observe.h"

union u { unsigned long long l; unsigned i[2]; unsigned short s[4]; unsigned char c[8]; };

int main(void)
{
    union u u;
    int i;
    u.l = 0x0123456789abcdefull;
    OBSERVE(u.i[0]);
    OBSERVE(u.i[1]);
    OBSERVE(u.s[1]);
    for (i = 0; i < 8; i += 3)
        OBSERVE(u.c[i]);
    u.c[7] = 0xff;
    OBSERVE(u.l);
    u.s[0] = 0;
    OBSERVE(u.l);
    u.i[1] += u.i[0];
    OBSERVE(u.l);
    OBSERVE(sizeof u);
    return 0;
}

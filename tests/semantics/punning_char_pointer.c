/* Any object may be read and written through pointers to char. */
#include "observe.h"

struct s { short a; int b; };

int main(void)
{
    unsigned u = 0xcafebabe;
    unsigned char *p = (unsigned char *)&u;
    struct s s = { 0x1122, 0x33445566 };
    double d = -2.0;
    unsigned i;
    for (i = 0; i < sizeof u; i++)
        OBSERVE(p[i]);
    p[3] = 0;
    OBSERVE(u);
    ((signed char *)&u)[0] = -1;
    OBSERVE(u);
    p = (unsigned char *)&s;
    OBSERVE(p[0]);
    OBSERVE(p[4]);
    OBSERVE(p[7]);
    p[5] ^= 0xff;
    OBSERVE(s.b);
    OBSERVE(((unsigned char *)&d)[7]);
    ((unsigned char *)&d)[7] = 0x40;
    OBSERVE_DOUBLE(d);
    return 0;
}

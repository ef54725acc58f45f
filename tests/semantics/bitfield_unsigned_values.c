/* Unsigned fields keep the low bits of what is assigned. */
#include "observe.h"

struct u { unsigned a : 1, b : 4; unsigned char c : 6; unsigned short d : 11; unsigned e : 32; };

int main(void)
{
    struct u u;
    u.a = 2;
    OBSERVE(u.a);
    u.a = -1;
    OBSERVE(u.a);
    u.b = 100;
    OBSERVE(u.b);
    u.c = -1;
    OBSERVE(u.c);
    u.d = 0x12345;
    OBSERVE(u.d);
    u.e = -2;
    OBSERVE(u.e);
    OBSERVE(u.b == u.c);
    u.b = u.c = u.d;
    OBSERVE(u.b);
    OBSERVE(u.c);
    return 0;
}

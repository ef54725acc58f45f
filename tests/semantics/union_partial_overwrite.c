/* Writing a short member keeps the other bytes. */
#include "observe.h"

union u { unsigned w; unsigned short h; unsigned char b; struct { unsigned char pad, x; } s; };

int main(void)
{
    union u u, array[2] = { { 0x01020304 }, { 0x05060708 } };
    u.w = 0xffffffff;
    u.h = 0;
    OBSERVE(u.w);
    u.b = 0x12;
    OBSERVE(u.w);
    u.s.x++;
    OBSERVE(u.w);
    u.h += 0xff00;
    OBSERVE(u.w);
    array[0].b = array[1].s.x;
    OBSERVE(array[0].w);
    array[1].h = array[0].w >> 16;
    OBSERVE(array[1].w);
    return 0;
}

/* Bit-fields under #pragma pack: they cross the units of their types, raise the
 * struct's alignment up to the limit even where it is packed, and one of width zero
 * moves on by its type's own alignment. */
#include "observe.h"
#include <string.h>

#pragma pack(push, 1)
struct a { int x : 5; int y : 31; char c; };
struct b { char c; int : 0; char d; };
struct c { char c; int x : 3 __attribute__((aligned(4))); char e; };
#pragma pack(pop)
#pragma pack(push, 2)
struct d { int x : 5; int y : 31; char c; };
struct e { char c; long long y : 40; short z : 9; } __attribute__((packed));
struct f { char c; int : 0; char d; } __attribute__((packed));
#pragma pack(pop)
#pragma pack(push, 4)
struct g { short x : 3; int y : 5; } __attribute__((packed, aligned(2)));
struct h { char c; short x : 12; int y : 25; long long z : 33; };
#pragma pack(pop)
struct i { char c; int x : 7 __attribute__((packed)); int y : 29; };

#define LAYOUT(type) OBSERVE(sizeof(struct type) * 16 + _Alignof(struct type))

int main(void)
{
    struct d d;
    struct h h;
    unsigned char bytes[sizeof(struct h)];
    unsigned n;
    LAYOUT(a);
    LAYOUT(b);
    LAYOUT(c);
    LAYOUT(d);
    LAYOUT(e);
    LAYOUT(f);
    LAYOUT(g);
    LAYOUT(h);
    LAYOUT(i);
    memset(&d, 0, sizeof d);
    d.x = -3;
    d.y = 0x2bcdef12;
    d.c = 'c';
    memcpy(bytes, &d, sizeof d);
    for (n = 0; n < sizeof d; n++)
        OBSERVE(bytes[n]);
    OBSERVE(d.y);
    memset(&h, 0, sizeof h);
    h.x = -5;
    h.y = 0xabcdef;
    h.z = -77777777777ll;
    memcpy(bytes, &h, sizeof h);
    for (n = 0; n < sizeof h; n++)
        OBSERVE(bytes[n]);
    OBSERVE(h.z);
    return 0;
}

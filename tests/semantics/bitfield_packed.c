/* Packed structs let fields straddle their units. */
#include "observe.h"
#include <string.h>

struct __attribute__((packed)) p { unsigned a : 20; unsigned b : 20; unsigned long long c : 33; unsigned char d : 7; };

int main(void)
{
    struct p p;
    unsigned char bytes[sizeof(struct p)];
    unsigned i;
    memset(&p, 0, sizeof p);
    p.a = 0xabcde;
    p.b = 0x54321;
    p.c = 0x123456789ull;
    p.d = 0x55;
    OBSERVE(sizeof p);
    memcpy(bytes, &p, sizeof p);
    for (i = 0; i < sizeof p; i++)
        OBSERVE(bytes[i]);
    OBSERVE(p.a);
    OBSERVE(p.b);
    OBSERVE(p.c);
    p.b = ~p.b;
    OBSERVE(p.b);
    OBSERVE(p.a + p.d);
    return 0;
}

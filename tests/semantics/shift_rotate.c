/* Rotations written with shifts; the amount comes from a variable. */
#include "observe.h"

static unsigned rotate32(unsigned x, unsigned n) { return n ? x << n | x >> (32 - n) : x; }
static unsigned long long rotate64(unsigned long long x, int n) { return (x << (n & 63)) | (x >> (-n & 63)); }
static unsigned char rotate8(unsigned char x, int n) { return x << n | x >> (8 - n); }

int main(void)
{
    unsigned n;
    for (n = 0; n < 32; n += 7)
        OBSERVE(rotate32(0x12345678u, n));
    for (n = 0; n < 64; n += 17)
        OBSERVE(rotate64(0x0123456789abcdefull, n));
    for (n = 1; n < 8; n += 3)
        OBSERVE(rotate8(0x96, n));
    return 0;
}

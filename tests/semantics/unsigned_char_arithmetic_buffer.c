/* Byte buffers: parsing and packing of numbers by shifts. */
#include "observe.h"

static unsigned read_big(const unsigned char *p) { return p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
static unsigned long long read_little(const unsigned char *p) { unsigned long long r = 0; int i; for (i = 7; i >= 0; i--) r = r << 8 | p[i]; return r; }
static void write_short(unsigned char *p, unsigned v) { p[0] = v; p[1] = v >> 8; }
static int varint(const signed char *p, unsigned *v) { int n = 0; *v = 0; do *v |= (unsigned)(p[n] & 0x7f) << 7 * n; while (p[n++] < 0); return n; }

int main(void)
{
    unsigned char b[8] = { 0xff, 0x01, 0x80, 0x7f, 0xaa, 0x55, 0x00, 0xf0 };
    signed char v[3] = { -84, 2, 0 };
    unsigned u;
    OBSERVE(read_big(b));
    OBSERVE(read_little(b));
    write_short(b + 2, 0x123456);
    OBSERVE(b[2] * 256 + b[3]);
    OBSERVE(varint(v, &u));
    OBSERVE(u);
    OBSERVE((signed char)b[7] >> 2);
    return 0;
}

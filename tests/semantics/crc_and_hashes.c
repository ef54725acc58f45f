/* Bit manipulation as checksums use it. */
#include "observe.h"

static unsigned crc32(const unsigned char *p, int n)
{
    unsigned c = ~0u;
    while (n--) {
        int k;
        c ^= *p++;
        for (k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}
static unsigned short crc16(const char *s) { unsigned short c = 0xffff; int k; while (*s) { c ^= *s++ << 8; for (k = 0; k < 8; k++) c = c & 0x8000 ? c << 1 ^ 0x1021 : c << 1; } return c; }
static unsigned long long fnv(const char *s) { unsigned long long h = 0xcbf29ce484222325ull; while (*s) { h ^= (unsigned char)*s++; h *= 0x100000001b3ull; } return h; }
static unsigned adler(const char *s) { unsigned a = 1, b = 0; while (*s) { a = (a + *s++) % 65521; b = (b + a) % 65521; } return b << 16 | a; }
static unsigned reverse_bits(unsigned x) { unsigned r = 0; int i; for (i = 0; i < 32; i++) { r = r << 1 | (x & 1); x >>= 1; } return r; }

int main(void)
{
    OBSERVE(crc32((const unsigned char *)"123456789", 9));
    OBSERVE(crc16("123456789"));
    OBSERVE(fnv("hash"));
    OBSERVE(adler("Wikipedia"));
    OBSERVE(reverse_bits(0x12345678));
    return 0;
}

/* clz, ctz, popcount, parity, ffs and bswap. */
#include "observe.h"

int main(void)
{
    unsigned u = 0x00f0a001u;
    unsigned long long w = 0x0000800000001000ull;
    unsigned long l = 0x10000;
    OBSERVE(__builtin_clz(u));
    OBSERVE(__builtin_ctz(u << 5));
    OBSERVE(__builtin_popcount(u));
    OBSERVE(__builtin_parity(u));
    OBSERVE(__builtin_ffs(u << 3));
    OBSERVE(__builtin_ffs(0));
    OBSERVE(__builtin_clzll(w));
    OBSERVE(__builtin_ctzll(w));
    OBSERVE(__builtin_popcountll(w * 3));
    OBSERVE(__builtin_parityll(w + 1));
    OBSERVE(__builtin_ffsll(w));
    OBSERVE(__builtin_clzl(l));
    OBSERVE(__builtin_ctzl(l));
    OBSERVE(__builtin_popcount(-1));
    OBSERVE(__builtin_bswap16(0x1234));
    OBSERVE(__builtin_bswap32(0x12345678));
    OBSERVE(__builtin_bswap64(0x123456789abcdef0ull));
    OBSERVE(__builtin_clrsb(-3));
    return 0;
}

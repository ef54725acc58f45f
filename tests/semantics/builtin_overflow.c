/* __builtin_*_overflow: the exact result, cut to the type, and whether it fits. */
#include "observe.h"

int main(void)
{
    int i;
    unsigned u;
    signed char c;
    unsigned long long w;
    long long l;
    OBSERVE(__builtin_add_overflow(2147483647, 1, &i));
    OBSERVE(i);
    OBSERVE(__builtin_add_overflow(5, -7, &i));
    OBSERVE(i);
    OBSERVE(__builtin_sub_overflow(3u, 5u, &u));
    OBSERVE(u);
    OBSERVE(__builtin_sub_overflow(3, 5, &u));
    OBSERVE(__builtin_mul_overflow(65536, 65536, &i));
    OBSERVE(__builtin_mul_overflow(65536, 65536, &l));
    OBSERVE(l);
    OBSERVE(__builtin_add_overflow(100, 100, &c));
    OBSERVE(c);
    OBSERVE(__builtin_add_overflow(-1, 1u, &u));
    OBSERVE(u);
    OBSERVE(__builtin_mul_overflow(-1ll, 2ull, &w));
    OBSERVE(w);
    OBSERVE(__builtin_mul_overflow(0x8000000000000000ull, 2, &w));
    OBSERVE(__builtin_sadd_overflow(1, 2, &i));
    OBSERVE(__builtin_umul_overflow(70000u, 70000u, &u));
    OBSERVE(u);
    OBSERVE(__builtin_ssubll_overflow(-9223372036854775807ll, 2, &l));
    OBSERVE(l);
    OBSERVE(__builtin_add_overflow_p(127, 1, (signed char)0));
    return 0;
}

/* u, l, ll and their combinations, in any case and order. */
#include "observe.h"

#define TYPE(x) _Generic((x), int: 1, unsigned: 2, long: 3, unsigned long: 4, \
    long long: 5, unsigned long long: 6, default: 0)

int main(void)
{
    OBSERVE(TYPE(1u));
    OBSERVE(TYPE(1U));
    OBSERVE(TYPE(1l));
    OBSERVE(TYPE(1L));
    OBSERVE(TYPE(1ul));
    OBSERVE(TYPE(1LU));
    OBSERVE(TYPE(1ll));
    OBSERVE(TYPE(1LL));
    OBSERVE(TYPE(1ull));
    OBSERVE(TYPE(1LLU));
    OBSERVE(TYPE(4294967296u));
    OBSERVE(TYPE(2147483648l));
    OBSERVE(TYPE(0xffffffffl));
    OBSERVE(0x1Fu + 017L + 9ULL);
    OBSERVE(1u - 2);
    OBSERVE(1ul - 2);
    OBSERVE(1l - 2);
    OBSERVE(0xFFFFFFFFFFFFFFFFull);
    OBSERVE(18446744073709551615u);
    return 0;
}

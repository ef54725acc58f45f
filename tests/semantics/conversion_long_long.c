/* Wide arithmetic mixed with narrow operands. */
#include "observe.h"

int main(void)
{
    int i = 2000000000;
    unsigned u = 4000000000u;
    long long ll = i;
    OBSERVE(i + i);
    OBSERVE(ll + i);
    OBSERVE((long long)(i + i));
    OBSERVE((long long)i + i);
    OBSERVE(i * 3ll);
    OBSERVE(u * 3);
    OBSERVE(u * 3ull);
    OBSERVE(u * u);
    OBSERVE((unsigned long long)u * u);
    OBSERVE(ll * ll);
    OBSERVE(ll * ll * ll);
    OBSERVE(-ll / 7);
    OBSERVE(-ll % 7);
    OBSERVE((ll << 20) >> 25);
    OBSERVE(ll > u);
    OBSERVE(-ll < u);
    return 0;
}

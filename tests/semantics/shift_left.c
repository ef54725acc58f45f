/* The result has the promoted type of the left operand. */
#include "observe.h"

int main(void)
{
    unsigned char c = 0xff;
    short s = 0x7fff;
    int i = 1;
    unsigned u = 0x80000001u;
    long long ll = 1;
    OBSERVE(c << 8);
    OBSERVE(c << 24);
    OBSERVE((unsigned char)(c << 4));
    OBSERVE(s << 16);
    OBSERVE((short)(s << 1));
    OBSERVE(i << 31);
    OBSERVE(u << 1);
    OBSERVE(ll << 40);
    OBSERVE(ll << 63);
    OBSERVE(1ull << 63);
    OBSERVE(i << 4ull);
    OBSERVE(sizeof(i << 4ull));
    OBSERVE(-1 << 5);
    OBSERVE(-3ll << 33);
    return 0;
}

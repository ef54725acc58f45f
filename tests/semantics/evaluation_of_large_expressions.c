/* Deep expressions without side effects: nothing is lost on the way. */
#include "observe.h"

int main(void)
{
    int a = 3, b = -4, c = 5, v[4] = { 1, 2, 3, 4 };
    unsigned u = 7;
    long long l = 1ll << 33;
    OBSERVE(((((a + b) * c - a) << 2) ^ ((b & 0xff) | (c << 4))) % 1000);
    OBSERVE(a * (b + c * (a - b * (c + a * (b - c)))));
    OBSERVE(v[v[v[v[0]]]]);
    OBSERVE((a > b ? c > a ? l : u : b) + (b > a ? 1 : c < a ? 2 : 3));
    OBSERVE((u - 8 > 0 ? l / u : l % u) * -1);
    OBSERVE(!(a - 3) + !!(b) * ~(c) - -(a));
    OBSERVE((char)(a * 100) + (unsigned char)(b * 100) + (short)(c * 10000));
    OBSERVE((a, b, c - 2)[v]);
    OBSERVE(sizeof(v) / sizeof(*v) * (a == 3) + (&v[3] - &v[0]));
    OBSERVE(a ^ b ^ c ^ a ^ b ^ c);
    return 0;
}

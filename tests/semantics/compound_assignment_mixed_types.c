/* Wider, unsigned and floating right operands. */
#include "observe.h"

int main(void)
{
    int i = 10;
    unsigned u = 10;
    char c = 100;
    float f = 1.5f;
    long long ll = -1;
    i *= 2.55;
    OBSERVE(i);
    i /= 0.3f;
    OBSERVE(i);
    u += -11;
    OBSERVE(u);
    u /= 2ll;
    OBSERVE(u);
    c += 20.9;
    OBSERVE(c);
    c -= 0.5;
    OBSERVE(c);
    f += 0.1;
    OBSERVE_FLOAT(f);
    f *= 3;
    OBSERVE_FLOAT(f);
    ll += 5u;
    OBSERVE(ll);
    ll *= -3.7;
    OBSERVE(ll);
    i = -7;
    i /= 2u;
    OBSERVE(i);
    i = -7;
    i >>= 1ull;
    OBSERVE(i);
    i += 4294967296ll;
    OBSERVE(i);
    i ^= 0xffffffff00000001ull;
    OBSERVE(i);
    return 0;
}

/* Decimal floats can be named, laid out and copied, and constants have their bits; nothing is computed with them. */
#include "observe.h"

struct prices { char c; _Decimal32 a; _Decimal64 b; _Decimal128 d; int after; };
static _Decimal64 unused = 1.5dd;

static _Decimal64 passed(_Decimal64 x)
{
    return x;
}

int main(void)
{
    struct prices p = {.after = 3}, q = p;
    OBSERVE(sizeof(_Decimal32) + 100 * sizeof(_Decimal64) + 10000 * sizeof(_Decimal128));
    OBSERVE(__builtin_offsetof(struct prices, b));
    OBSERVE(__builtin_offsetof(struct prices, d));
    OBSERVE(sizeof(struct prices));
    OBSERVE(_Alignof(_Decimal64) + 100 * _Alignof(_Decimal128));
    q.b = passed(p.b);
    OBSERVE(q.after);
    union { _Decimal32 a; _Decimal64 b; _Decimal128 c; unsigned bits[4]; } pun = {0};
    pun.a = 9999999e3df;
    OBSERVE(pun.bits[0]);
    pun.a = 12.50df;
    OBSERVE(pun.bits[0]);
    pun.b = unused;
    OBSERVE(pun.bits[1]);
    pun.b = 9999999999999999.dd;
    OBSERVE(pun.bits[0]);
    OBSERVE(pun.bits[1]);
    pun.b = .5e-3dd;
    OBSERVE(pun.bits[0]);
    OBSERVE(pun.bits[1]);
    pun.c = 12345678901234567890.5dl;
    for (int i = 0; i < 4; i++)
        OBSERVE(pun.bits[i]);
    pun.c = 0.0dl;
    OBSERVE(pun.bits[3]);
    return 0;
}

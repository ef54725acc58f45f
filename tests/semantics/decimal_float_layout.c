/* Decimal floats can be named, laid out and copied; what their values are is not modelled. */
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
    return 0;
}

/* The type of a binary expression, seen through _Generic. */
#include "observe.h"

#define TYPE(x) _Generic((x), int: 1, unsigned: 2, long: 3, unsigned long: 4, \
    long long: 5, unsigned long long: 6, float: 7, double: 8, long double: 9, default: 0)

int main(void)
{
    char c = 0; unsigned short us = 0; int i = 0; unsigned u = 0; long l = 0;
    unsigned long ul = 0; long long ll = 0; unsigned long long ull = 0;
    float f = 0; double d = 0; long double ld = 0;
    OBSERVE(TYPE(c + c));
    OBSERVE(TYPE(us + us));
    OBSERVE(TYPE(i + u));
    OBSERVE(TYPE(u + l));
    OBSERVE(TYPE(l + ul));
    OBSERVE(TYPE(ul + ll));
    OBSERVE(TYPE(ll + ull));
    OBSERVE(TYPE(f + i));
    OBSERVE(TYPE(f + ull));
    OBSERVE(TYPE(f + d));
    OBSERVE(TYPE(d + ld));
    OBSERVE(TYPE(f * ld));
    OBSERVE(TYPE(c << ll));
    OBSERVE(TYPE(ll << c));
    OBSERVE(TYPE(i < d));
    OBSERVE(TYPE(i && d));
    OBSERVE(TYPE(1 ? i : u));
    OBSERVE(TYPE(1 ? c : d));
    OBSERVE(TYPE((c, f)));
    OBSERVE(TYPE(-us));
    OBSERVE(TYPE(~ul));
    OBSERVE(TYPE(sizeof c));
    OBSERVE(TYPE(&c - &c));
    return 0;
}

/* Without a designator the first member is initialised; the rest is zero. */
#include "observe.h"

union u { char c; int i; double d; };
static union u first = { 65 }, second = { .i = 1000 }, third = { .d = 1.0 }, none;
static union { int a[3]; char b[20]; } big = { { 1, 2 } };
static union u table[] = { { 1 }, { .i = -1 }, { .c = 'x' } };

int main(void)
{
    union u local = { .i = 70000 };
    OBSERVE(first.c);
    OBSERVE(first.i);
    OBSERVE(second.i);
    OBSERVE(second.c);
    OBSERVE_DOUBLE(third.d);
    OBSERVE(none.i);
    OBSERVE(big.a[1]);
    OBSERVE(big.a[2]);
    OBSERVE(big.b[4]);
    OBSERVE(table[1].c);
    OBSERVE(table[2].c);
    OBSERVE(local.i);
    OBSERVE((signed char)local.c);
    return 0;
}

/* A constant takes the first type of its list that can hold it. */
#include "observe.h"

#define TYPE(x) _Generic((x), int: 1, unsigned: 2, long: 3, unsigned long: 4, \
    long long: 5, unsigned long long: 6, default: 0)

int main(void)
{
    OBSERVE(TYPE(2147483647));
    OBSERVE(TYPE(2147483648));
    OBSERVE(TYPE(0x7fffffff));
    OBSERVE(TYPE(0x80000000));
    OBSERVE(TYPE(0xffffffff));
    OBSERVE(TYPE(0x100000000));
    OBSERVE(TYPE(4294967295));
    OBSERVE(TYPE(4294967296));
    OBSERVE(TYPE(9223372036854775807));
    OBSERVE(TYPE(0x8000000000000000));
    OBSERVE(TYPE(037777777777));
    OBSERVE(TYPE(0777777777777777777777));
    OBSERVE(TYPE(01777777777777777777777));
    OBSERVE(-2147483648 < 0);
    OBSERVE(-2147483648 < 2147483647);
    OBSERVE(0x80000000 > 0);
    OBSERVE(-0x80000000 > 0);
    OBSERVE(sizeof(-2147483648));
    OBSERVE(TYPE(0b1111));
    OBSERVE(0b10110);
    return 0;
}

/* Conversion to _Bool asks whether the value differs from zero. */
#include "observe.h"
#include <stdbool.h>

int main(void)
{
    _Bool b = 256;
    bool c = 0.25, d = -0.0, e = "x" != 0;
    int object, *pointer = &object, *null = 0;
    OBSERVE(b);
    OBSERVE(c);
    OBSERVE(d);
    OBSERVE(e);
    OBSERVE((_Bool)pointer);
    OBSERVE((_Bool)null);
    OBSERVE((_Bool)0x100000000ll);
    OBSERVE((char)256 == (_Bool)256);
    OBSERVE(b + b);
    OBSERVE(~b);
    OBSERVE(-b);
    OBSERVE(sizeof(b));
    OBSERVE(true + true);
    b = 2;
    b += 3;
    OBSERVE(b);
    b = b - 1;
    OBSERVE(b);
    b |= 8;
    OBSERVE(b);
    b ^= 1;
    OBSERVE(b);
    return 0;
}

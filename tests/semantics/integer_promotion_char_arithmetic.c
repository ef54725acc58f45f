/* Operands of a type narrower than int are computed with as int. */
#include "observe.h"

int main(void)
{
    signed char a = 100, b = 100;
    unsigned char c = 200, d = 100;
    char e = 127;
    OBSERVE(a + b);
    OBSERVE((signed char)(a + b));
    OBSERVE(c + d);
    OBSERVE((unsigned char)(c + d));
    OBSERVE(c * d);
    OBSERVE(d - c);
    OBSERVE((unsigned char)(d - c));
    OBSERVE(e + 1);
    OBSERVE(sizeof(a + b));
    OBSERVE((c + d) / 3);
    OBSERVE((a * b) >> 3);
    return 0;
}

/* The overflow checks take operands of type _Bool and of enumerations. */
#include "observe.h"

enum e { LOW = -3, HIGH = 7 };

int main(void)
{
    _Bool one = 1;
    enum e high = HIGH;
    unsigned char narrow;
    int wide;
    OBSERVE(__builtin_sub_overflow((_Bool)0, one, &narrow));
    OBSERVE(narrow);
    OBSERVE(__builtin_mul_overflow(one, high, &wide));
    OBSERVE(wide);
    OBSERVE(__builtin_add_overflow(one, 255, &narrow));
    OBSERVE(narrow);
    OBSERVE(__builtin_add_overflow_p(one, (unsigned char)255, (unsigned char)0));
    return 0;
}

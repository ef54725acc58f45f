/* ~, - and + promote their operand first; ! always gives int. */
#include "observe.h"

int main(void)
{
    unsigned char c = 0xf0;
    unsigned short s = 1;
    signed char m = -128;
    OBSERVE(~c);
    OBSERVE((unsigned char)~c);
    OBSERVE(~c >> 4);
    OBSERVE((unsigned char)~c >> 1);
    OBSERVE(-s);
    OBSERVE(-s < 0);
    OBSERVE(-m);
    OBSERVE((signed char)-m);
    OBSERVE(sizeof(+c));
    OBSERVE(sizeof(!c));
    OBSERVE(!c);
    OBSERVE(!!c);
    OBSERVE(~0u == 0xffffffff);
    OBSERVE(-1u);
    return 0;
}

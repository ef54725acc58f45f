/* The value of an assignment is the left operand's, after the conversion. */
#include "observe.h"

int main(void)
{
    int i;
    unsigned char c;
    signed char s;
    short h;
    float f;
    unsigned u;
    i = c = 300;
    OBSERVE(i);
    i = s = 200;
    OBSERVE(i);
    i = h = c = -1;
    OBSERVE(i);
    OBSERVE(h);
    i = f = 3.75f;
    OBSERVE(i);
    OBSERVE_FLOAT(f);
    OBSERVE((c = 511) == 511);
    OBSERVE((c = 511) == 255);
    OBSERVE_DOUBLE(f = 0.1);
    OBSERVE((f = 0.1) == 0.1);
    u = s = -3;
    OBSERVE(u);
    OBSERVE(sizeof(c = 1000));
    return 0;
}

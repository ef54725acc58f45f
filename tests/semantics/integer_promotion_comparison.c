/* Narrow operands are compared by value, wide unsigned ones after conversion. */
#include "observe.h"

int main(void)
{
    signed char sc = -1;
    unsigned char uc = 255;
    short ss = -1;
    unsigned short us = 65535;
    unsigned u = 4294967295u;
    OBSERVE(sc == uc);
    OBSERVE(sc < uc);
    OBSERVE(ss == us);
    OBSERVE(ss < us);
    OBSERVE(sc == u);
    OBSERVE(ss == u);
    OBSERVE(uc == u);
    OBSERVE(sc < 0u);
    OBSERVE(sc > 1u);
    OBSERVE((unsigned char)sc == uc);
    OBSERVE((uc << 24 >> 24) == sc);
    return 0;
}

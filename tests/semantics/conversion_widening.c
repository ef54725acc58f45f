/* Widening extends by the sign of the source's type, not of the target's. */
#include "observe.h"

int main(void)
{
    signed char sc = -2;
    unsigned char uc = 254;
    short ss = -300;
    unsigned short us = 65000;
    int i = -70000;
    unsigned u = 4000000000u;
    OBSERVE((unsigned)sc);
    OBSERVE((unsigned long long)sc);
    OBSERVE((long long)uc);
    OBSERVE((unsigned short)sc);
    OBSERVE((unsigned long long)ss);
    OBSERVE((long long)us);
    OBSERVE((unsigned long long)i);
    OBSERVE((long long)u);
    OBSERVE((long)u);
    OBSERVE((unsigned long)i);
    OBSERVE((long long)(int)u);
    OBSERVE((unsigned long long)(unsigned)i);
    return 0;
}

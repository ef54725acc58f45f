/* To an unsigned type: the value modulo two to the width. */
#include "observe.h"

int main(void)
{
    int i = -1;
    long long ll = -0x100000001ll;
    unsigned char uc = i;
    unsigned short us = i;
    unsigned u = i;
    unsigned long ul = i;
    unsigned long long ull = i;
    OBSERVE(uc);
    OBSERVE(us);
    OBSERVE(u);
    OBSERVE(ul);
    OBSERVE(ull);
    OBSERVE((unsigned char)ll);
    OBSERVE((unsigned)ll);
    OBSERVE((unsigned long)ll);
    OBSERVE((unsigned short)70000);
    OBSERVE((unsigned char)-129);
    uc = 256 + 7;
    OBSERVE(uc);
    us = uc - 8;
    OBSERVE(us);
    return 0;
}

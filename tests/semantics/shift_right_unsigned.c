/* Zeros come in; narrow unsigned types promote to int first. */
#include "observe.h"

int main(void)
{
    unsigned u = 0xdeadbeefu;
    unsigned char c = 0x80;
    unsigned short s = 0xffff;
    unsigned long long ull = 0xfedcba9876543210ull;
    unsigned long ul = -1;
    int n;
    OBSERVE(u >> 4);
    OBSERVE(u >> 31);
    OBSERVE(c >> 7);
    OBSERVE(-c >> 7);
    OBSERVE(s >> 15);
    OBSERVE(~s >> 1);
    OBSERVE(ull >> 60);
    OBSERVE(ul >> 1);
    for (n = 0; n < 64; n += 13)
        OBSERVE(ull >> n);
    OBSERVE((u >> 8) & 0xff);
    OBSERVE((ull >> 32) == (unsigned)(ull >> 32));
    return 0;
}

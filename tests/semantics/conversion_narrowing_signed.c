/* To a narrower signed type: the low bits, read in two's complement. */
#include "observe.h"

int main(void)
{
    int i = 0x12345678;
    long long ll = 0x123456789abcdef0ll;
    unsigned u = 0x8000ff80u;
    OBSERVE((signed char)i);
    OBSERVE((short)i);
    OBSERVE((int)ll);
    OBSERVE((long)ll);
    OBSERVE((short)ll);
    OBSERVE((signed char)ll);
    OBSERVE((signed char)u);
    OBSERVE((short)u);
    OBSERVE((int)u);
    OBSERVE((signed char)384);
    OBSERVE((short)-32769);
    OBSERVE((int)4294967295u);
    OBSERVE((int)(signed char)0xff);
    OBSERVE((short)(unsigned char)(signed char)-1);
    return 0;
}

/* Unsigned division knows no sign; a negative operand is converted first. */
#include "observe.h"

int main(void)
{
    unsigned u = 10;
    int i = -10;
    unsigned long long w = 0xfffffffffffffff6ull;
    unsigned char c = 200, d = 7;
    OBSERVE(u / 3);
    OBSERVE(u % 3);
    OBSERVE(i / 3u);
    OBSERVE(i % 3u);
    OBSERVE(u / i);
    OBSERVE(u % i);
    OBSERVE(w / 10);
    OBSERVE(w % 10);
    OBSERVE(w / 0x100000001ull);
    OBSERVE(w % 0x100000001ull);
    OBSERVE(-c / d);
    OBSERVE(-c % d);
    OBSERVE((unsigned char)-c / d);
    OBSERVE(i / sizeof(int));
    return 0;
}

/* Unsigned arithmetic is modulo two to the width. */
#include "observe.h"

int main(void)
{
    unsigned u = 0;
    unsigned long ul = 0;
    unsigned long long ull = 0;
    unsigned char c = 0;
    unsigned short s = 0;
    unsigned hash = 2166136261u;
    const char *text = "wrap";
    OBSERVE(u - 1);
    OBSERVE(ul - 1);
    OBSERVE(ull - 1);
    OBSERVE(--c);
    OBSERVE(--s);
    OBSERVE(c++);
    OBSERVE(c);
    OBSERVE(4000000000u + 4000000000u);
    OBSERVE(-u);
    OBSERVE(-(u + 1));
    while (*text)
        hash = (hash ^ *text++) * 16777619u;
    OBSERVE(hash);
    OBSERVE(0x8000000000000001ull * 3);
    return 0;
}

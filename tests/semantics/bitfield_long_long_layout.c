/* Fields of long long units and what follows them. */
#include "observe.h"
#include <string.h>

struct l { unsigned long long a : 40, b : 30; unsigned c : 5; char d; };

int main(void)
{
    struct l l;
    unsigned long long words[4] = { 0, 0, 0, 0 };
    memset(&l, 0, sizeof l);
    l.a = 0xfedcba98765ull;
    l.b = 0x3fffffff;
    l.c = 21;
    l.d = 0x5a;
    OBSERVE(sizeof l);
    OBSERVE(l.a);
    OBSERVE(l.b);
    OBSERVE(l.c);
    memcpy(words, &l, sizeof l);
    OBSERVE(words[0]);
    OBSERVE(words[1]);
    OBSERVE(words[2]);
    l.a += 1ull << 39;
    OBSERVE(l.a);
    OBSERVE(l.b + 1 == 0x40000000);
    return 0;
}

/* Signed fields hold two's complement numbers of their width. */
#include "observe.h"

struct s { int a : 1; int b : 3; signed c : 7; long long d : 33; };

int main(void)
{
    struct s s;
    int i;
    s.a = 1;
    OBSERVE(s.a);
    for (i = 0; i < 10; i += 3) {
        s.b = i;
        OBSERVE(s.b);
    }
    s.c = 64;
    OBSERVE(s.c);
    s.c = -65;
    OBSERVE(s.c);
    s.d = 0x100000000ll;
    OBSERVE(s.d);
    s.d = 0xffffffffll;
    OBSERVE(s.d);
    OBSERVE(s.b < s.c);
    OBSERVE(s.a == -1);
    return 0;
}

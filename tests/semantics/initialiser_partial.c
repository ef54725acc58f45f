/* What a brace list leaves out is zero, also in automatic objects. */
#include "observe.h"

struct s { int a; double d; char *p; int v[3]; };

static int dirty(int n) { volatile int junk[32]; int i; for (i = 0; i < 32; i++) junk[i] = n; return junk[n & 31]; }

static int sum(void)
{
    int v[20] = { 1, 2 };
    struct s s = { 5 };
    char text[16] = "ab", none[4] = "";
    int i, r = s.v[0] + s.v[2] + (s.p == 0) + (s.d == 0);
    for (i = 0; i < 20; i++)
        r += v[i];
    for (i = 0; i < 16; i++)
        r += text[i];
    for (i = 0; i < 4; i++)
        r += none[i];
    return r;
}

int main(void)
{
    struct s zero = { 0 }, list[2] = { { .a = 1 } };
    static struct s st;
    OBSERVE(dirty(-1));
    OBSERVE(sum());
    OBSERVE(zero.v[1]);
    OBSERVE(list[1].a);
    OBSERVE(list[0].p == 0);
    OBSERVE(st.a + st.v[2]);
    OBSERVE_DOUBLE(list[1].d);
    return 0;
}

/* A struct argument is a copy: the callee's changes stay there. */
#include "observe.h"

struct small { char c; };
struct medium { int a, b; double d; };
struct large { int v[40]; struct medium m; };

static int use_small(struct small s) { s.c += 1; return s.c; }
static double use_medium(struct medium m, int k) { m.a *= k; m.d += m.a; return m.d + m.b; }
static int use_large(struct large l, struct small s, struct large k)
{
    l.v[0] = 1000;
    k.m.a += s.c;
    return l.v[0] + l.v[39] + k.v[0] + k.m.a;
}

int main(void)
{
    struct small s = { 127 };
    struct medium m = { 3, 4, 0.5 };
    struct large l;
    int i;
    for (i = 0; i < 40; i++)
        l.v[i] = i;
    l.m = m;
    OBSERVE(use_small(s));
    OBSERVE(s.c);
    OBSERVE_DOUBLE(use_medium(m, 7));
    OBSERVE(m.a);
    OBSERVE(use_large(l, s, l));
    OBSERVE(l.v[0]);
    OBSERVE(l.m.a);
    return 0;
}

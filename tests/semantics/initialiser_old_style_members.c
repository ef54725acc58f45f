/* GNU C's old form, member: value. */
#include "observe.h"

struct s { int a, b; struct { int c; } in; };
static struct s s = { b: 2, a: 1, in: { c: 3 } };
static union { int i; double d; } u = { d: 1.0 };

int main(void)
{
    int n = 10;
    struct s t = { in: { n }, b: n + 1 };
    OBSERVE(s.a);
    OBSERVE(s.b);
    OBSERVE(s.in.c);
    OBSERVE_DOUBLE(u.d);
    OBSERVE(t.a);
    OBSERVE(t.b);
    OBSERVE(t.in.c);
    return 0;
}

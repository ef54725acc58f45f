/* Pointers to struct members and array elements alias the whole. */
#include "observe.h"

struct s { int a; struct { short b; char c[6]; } in; int *self; };

static void bump(int *x) { ++*x; }
static void fill(char *c, int n) { while (n-- > 0) *c++ = 'a' + n; }

int main(void)
{
    struct s s = { 1, { 2, "xyz" }, 0 }, *p = &s;
    short *b = &p->in.b;
    char (*c)[6] = &s.in.c;
    s.self = &s.a;
    bump(&s.a);
    bump(s.self);
    OBSERVE(p->a);
    *b *= -50;
    OBSERVE(s.in.b);
    fill(*c + 1, 3);
    OBSERVE(s.in.c[0]);
    OBSERVE(s.in.c[1]);
    OBSERVE(s.in.c[3]);
    OBSERVE(*p->self);
    p->self = (int *)p;
    *p->self += 10;
    OBSERVE(s.a);
    OBSERVE((*c)[2]);
    return 0;
}

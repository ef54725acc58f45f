/* ++ and -- on members, elements and through pointers. */
#include "observe.h"

struct s { short n; int v[2]; struct { char c; } in; };
static struct s g = { 32767, { 1, 2 }, { 'a' } };
static struct s *where(struct s *p) { return p; }

int main(void)
{
    struct s *p = &g;
    int *q = g.v, k = 0;
    OBSERVE(g.n++);
    OBSERVE(p->n);
    OBSERVE(++p->in.c);
    OBSERVE(p->v[k++]++);
    OBSERVE(p->v[0]);
    OBSERVE(k);
    OBSERVE(--where(p)->v[1]);
    OBSERVE(++*q);
    OBSERVE((*q++)--);
    OBSERVE(g.v[0]);
    OBSERVE(*q);
    OBSERVE(++(*p).v[1]);
    OBSERVE(p->in.c--);
    OBSERVE(g.in.c);
    return 0;
}

/* Several levels of indirection. */
#include "observe.h"

struct node { int v; struct node *next; };

static void set(int **p, int *to) { *p = to; }
static void insert(struct node **list, struct node *n)
{
    while (*list && (*list)->v < n->v)
        list = &(*list)->next;
    n->next = *list;
    *list = n;
}

int main(void)
{
    int a = 1, b = 2, *p = &a, **pp = &p, ***ppp = &pp;
    struct node n[4] = { { 30 }, { 10 }, { 40 }, { 20 } }, *list = 0, *i;
    int k;
    **pp = 5;
    OBSERVE(a);
    set(pp, &b);
    OBSERVE(*p);
    ***ppp = 7;
    OBSERVE(b);
    **ppp = &a;
    OBSERVE(*p);
    OBSERVE(*pp == &a);
    for (k = 0; k < 4; k++)
        insert(&list, &n[k]);
    for (i = list; i; i = i->next)
        OBSERVE(i->v);
    OBSERVE(***&pp + 0 == 5);
    return 0;
}

/* Chains of . and -> and [] through nested structs. */
#include "observe.h"

struct leaf { int values[3]; };
struct branch { struct leaf leaves[2]; struct leaf *favourite; };
struct tree { struct branch *branches; struct branch own; };

int main(void)
{
    struct branch b[2] = { { { { { 1, 2, 3 } }, { { 4, 5, 6 } } }, 0 }, { { { { 7, 8, 9 } } }, 0 } };
    struct tree t, *p = &t;
    t.branches = b;
    t.own = b[1];
    b[0].favourite = &b[1].leaves[0];
    t.own.favourite = &t.branches[0].leaves[1];
    OBSERVE(p->branches[0].favourite->values[2]);
    OBSERVE(p->own.favourite->values[0]);
    p->branches->leaves[1].values[0]++;
    OBSERVE(t.own.favourite->values[0]);
    OBSERVE(p->own.leaves[0].values[1]);
    OBSERVE((*(*p).branches).leaves[0].values[2]);
    OBSERVE((p->branches + 1)->leaves->values[0]);
    OBSERVE(*p->own.leaves[0].values);
    OBSERVE(*(&p->own.leaves[0].values[0] + 2));
    OBSERVE(t.own.leaves[1].values[1]);
    return 0;
}

/* Inner braces may be left out: values fill the members in order. */
#include "observe.h"

struct p { int x, y; };
static int m[2][3] = { 1, 2, 3, 4 };
static struct { struct p p[2]; char name[3]; int last; } s = { 1, 2, 3, 4, "ab", 5 };
static struct p list[] = { 1, 2, { 3 }, 4, 5 };
static int mixed[3][2] = { { 1 }, 2, 3, { 4 } };
static struct { int a[2]; struct { struct p q; int z; } in; } deep = { { 7 }, { 8, 9, 10 } };
static int scalar = { 5 };

int main(void)
{
    OBSERVE(m[0][2]);
    OBSERVE(m[1][0]);
    OBSERVE(m[1][1]);
    OBSERVE(s.p[1].x);
    OBSERVE(s.name[1]);
    OBSERVE(s.last);
    OBSERVE(sizeof list / sizeof *list);
    OBSERVE(list[1].x * 10 + list[1].y);
    OBSERVE(list[2].y);
    OBSERVE(mixed[0][1]);
    OBSERVE(mixed[1][1]);
    OBSERVE(mixed[2][0]);
    OBSERVE(deep.in.q.y);
    OBSERVE(deep.in.z);
    OBSERVE(scalar);
    return 0;
}

/* Assignment copies the value: later changes do not show in the copy. */
#include "observe.h"

struct point { int x, y; char name[4]; };

int main(void)
{
    struct point a = { 1, 2, "ab" }, b, *p = &a;
    b = a;
    a.x = 10;
    a.name[0] = 'z';
    OBSERVE(b.x);
    OBSERVE(b.y);
    OBSERVE(b.name[0]);
    OBSERVE(a.name[0]);
    b.y = 20;
    *p = b;
    OBSERVE(a.x);
    OBSERVE(a.y);
    *p = *p;
    OBSERVE(p->y);
    a = (b.x = 5, b);
    OBSERVE(a.x);
    OBSERVE((a = b).name[1]);
    return 0;
}

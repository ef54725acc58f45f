/* Initialisers of automatic objects are run each time; a struct may initialise a struct. */
#include "observe.h"

struct p { int x, y; };
struct line { struct p from, to; };

static struct p make(int x, int y) { struct p p = { x, y }; return p; }

int main(void)
{
    int i;
    struct p origin = { 3, 4 };
    for (i = 0; i < 3; i++) {
        int n = i * i, *p = &n, v[2] = { n, *p + 1 };
        struct p copy = origin, made = make(i, v[1]);
        struct line l = { origin, made }, k = { make(1, 2), { i, i } }, j = { .to = copy, .from.x = i };
        origin.x += i;
        OBSERVE(v[1]);
        OBSERVE(copy.x);
        OBSERVE(l.to.y * 100 + l.from.x);
        OBSERVE(k.from.y * 100 + k.to.x);
        OBSERVE(j.to.y * 100 + j.from.x + j.from.y);
    }
    {
        int self = sizeof self;
        void *own = &own;
        OBSERVE(self);
        OBSERVE(own == (void *)&own);
    }
    return 0;
}

/* GNU C: a struct without members has size 0. */
#include "observe.h"

struct empty { };
struct holder { int a; struct empty e; int b; };

static struct empty pass(struct empty e) { return e; }

int main(void)
{
    struct empty e, f = { };
    struct holder h = { 1, { }, 2 };
    e = f;
    f = pass(e);
    h.e = pass(h.e);
    OBSERVE(sizeof e);
    OBSERVE(sizeof h);
    OBSERVE(h.a);
    OBSERVE(h.b);
    OBSERVE(sizeof(struct empty[5]));
    return 0;
}

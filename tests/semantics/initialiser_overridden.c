/* What a later designator overrides is not evaluated. */
#include "observe.h"

struct inner { int x, y; };
struct outer { struct inner in; int z; };
union either { int a; char b; };

static int count;
static int next(void) { return ++count; }
static struct inner both(void) { count++; return (struct inner){5, 6}; }

int main(void)
{
    struct outer s = { .in = both(), .in.x = 1 };
    observe_value(count);
    observe_value(s.in.x);
    observe_value(s.in.y);
    struct outer t = { .in.x = next(), .in = both() };
    observe_value(count);
    observe_value(t.in.x);
    union either u = { .a = next(), .b = 2 };
    observe_value(count);
    observe_value(u.b);
    int a[4] = { [0 ... 3] = next(), [1] = 7, [2 ... 3] = next() };
    for (int i = 0; i < 4; i++)
        observe_value(a[i]);
    int b[2] = { [0 ... 1] = next(), [0] = 1, [1] = 2 };
    observe_value(b[0] + b[1]);
    struct outer v = { .z = next(), .in = {3, 4}, .z = next() };
    observe_value(v.z);
    observe_value(count);
    static int w[3] = { 1, 2, 3, [0] = 4 };
    observe_value(w[0] + w[1] + w[2]);
    return 0;
}

/* Fields in initialisers: unnamed ones are passed over, the rest is zero. */
#include "observe.h"

struct s { unsigned a : 3; unsigned : 5; int b : 4; unsigned c : 9; struct { unsigned x : 2, y : 2; } in; };

static struct s global = { 9, 9, 1000, { 5, 6 } };
static struct s designated = { .c = 511, .in.y = 3 };

int main(void)
{
    int n = 13;
    struct s local = { n, n, .in = { .x = n } };
    struct s all[2] = { [1] = { 1, -1 } };
    OBSERVE(global.a);
    OBSERVE(global.b);
    OBSERVE(global.c);
    OBSERVE(global.in.x);
    OBSERVE(global.in.y);
    OBSERVE(designated.a);
    OBSERVE(designated.c);
    OBSERVE(designated.in.x * 10 + designated.in.y);
    OBSERVE(local.a);
    OBSERVE(local.b);
    OBSERVE(local.c);
    OBSERVE(local.in.x);
    OBSERVE(all[1].b);
    OBSERVE(all[0].a + all[1].c);
    return 0;
}

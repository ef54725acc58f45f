/* .member = value, nested designators, and what comes after them. */
#include "observe.h"

struct in { int x, y; };
struct s { int a; struct in in; int v[4]; char c; struct in list[3]; };
static struct s s = { .c = 'c', .in.y = 2, .v[1] = 11, 12, .list[1] = { 5, 6 }, .list[2].x = 7, .a = 1 };
static struct s t = { 1, .v = { [2] = 9 }, 'd', { { 1 } } };

int main(void)
{
    int n = 3;
    struct s u = { .list = { [1].y = n, [0] = { n + 1, n + 2 } }, .v[3] = n * n };
    OBSERVE(s.a);
    OBSERVE(s.in.x);
    OBSERVE(s.in.y);
    OBSERVE(s.v[1]);
    OBSERVE(s.v[2]);
    OBSERVE(s.v[3]);
    OBSERVE(s.c);
    OBSERVE(s.list[1].y);
    OBSERVE(s.list[2].x);
    OBSERVE(t.v[2]);
    OBSERVE(t.c);
    OBSERVE(t.list[0].x);
    OBSERVE(u.list[1].y);
    OBSERVE(u.list[0].y);
    OBSERVE(u.list[1].x + u.a);
    OBSERVE(u.v[3]);
    return 0;
}

/* The right operand of && and || is evaluated only if it decides. */
#include "observe.h"

static int calls;
static int yes(void) { calls++; return 5; }
static int no(void) { calls += 100; return 0; }

int main(void)
{
    int x = 0, *p = 0;
    OBSERVE(no() && yes());
    OBSERVE(calls);
    OBSERVE(yes() || no());
    OBSERVE(calls);
    OBSERVE(yes() && yes());
    OBSERVE(calls);
    OBSERVE(p && *p);
    OBSERVE(!p || *p);
    x && x++;
    OBSERVE(x);
    x || x++;
    OBSERVE(x);
    OBSERVE((x && (x = 0)) || (x += 3));
    OBSERVE(x);
    OBSERVE(0.5 && -0.0);
    OBSERVE(0.5 && 0.1f);
    OBSERVE("a" && 1);
    return 0;
}

/* Mixed && and || with side effects. */
#include "observe.h"

static unsigned trace;
static int t(int n) { trace = trace * 8 + n; return 1; }
static int f(int n) { trace = trace * 8 + n; return 0; }
#define SHOW(e) do { trace = 0; OBSERVE(e); OBSERVE(trace); } while (0)

int main(void)
{
    int i = 0;
    SHOW(t(1) && f(2) || t(3));
    SHOW(f(1) && t(2) || f(3));
    SHOW(t(1) || f(2) && t(3));
    SHOW((f(1) || t(2)) && (f(3) || f(4)));
    SHOW(!(t(1) && !f(2)));
    SHOW(f(1) || f(2) || t(3) || t(4));
    SHOW((t(1) ? f(2) : t(3)) && t(4));
    while (i < 10 && (i != 5 || t(7)) && i++ < 8)
        ;
    OBSERVE(i);
    OBSERVE(trace);
    return 0;
}

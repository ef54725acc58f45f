/* A static local is initialised once and keeps its value between calls. */
#include "observe.h"

static int counter(void) { static int n = 10; return n++; }
static int *cell(int i) { static int cells[3] = { 1, 2 }; return &cells[i]; }
static int both(int k) { if (k) { static int n; return ++n; } else { static int n = 100; return --n; } }
static unsigned next(void) { static unsigned seed = 1; seed = seed * 1664525u + 1013904223u; return seed >> 16; }
static int depth(int n) { static int max; if (n > max) max = n; return n ? depth(n - 1) : max; }
static const char *name(int i) { static const char *const names[] = { "a", "b" }; return names[i]; }

int main(void)
{
    OBSERVE(counter());
    OBSERVE(counter());
    OBSERVE(counter());
    *cell(2) += 5;
    *cell(0) += *cell(2);
    OBSERVE(*cell(0));
    OBSERVE(*cell(2));
    OBSERVE(both(1) + both(1));
    OBSERVE(both(0));
    OBSERVE(both(0));
    OBSERVE(next());
    OBSERVE(next());
    OBSERVE(depth(4));
    OBSERVE(depth(2));
    OBSERVE(name(1)[0]);
    return 0;
}

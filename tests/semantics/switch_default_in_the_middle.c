/* default may stand anywhere and falls through as well. */
#include "observe.h"

static int f(int x)
{
    switch (x) {
    case 1: return 10;
    default: x += 100;
    case 2: x += 1000; break;
    case 3: x = 3;
    }
    return x;
}

static int g(int x) { switch (x) default: x = 77; return x; }
static int h(int x) { switch (x) { default: case 5: return 5 * x; } }
static int n(int x) { switch (x) case 4: x = -x; return x; }

int main(void)
{
    int i;
    for (i = 0; i < 5; i++)
        OBSERVE(f(i));
    OBSERVE(g(1));
    OBSERVE(h(5));
    OBSERVE(h(6));
    OBSERVE(n(4));
    OBSERVE(n(5));
    return 0;
}

/* A conditional expression may yield a struct. */
#include "observe.h"

struct s { int v[2]; char tag; };

static int calls;
static struct s make(int n) { struct s s = { { n, n + 1 }, n * 2 }; calls++; return s; }

int main(void)
{
    struct s a = make(10), b = make(20), c;
    int i;
    for (i = 0; i < 3; i++) {
        c = i % 2 ? a : b;
        OBSERVE(c.v[1]);
        OBSERVE((i == 1 ? a : b).tag);
        OBSERVE((i == 2 ? make(i) : b).v[0]);
    }
    OBSERVE(calls);
    OBSERVE((a, b).v[0]);
    return 0;
}

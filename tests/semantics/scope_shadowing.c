/* An inner declaration hides the outer one up to the block's end. */
#include "observe.h"

static int x = 1;
static int outer(void) { return x; }

static int parameter(int x) { { int x = 50; x++; } return x; }

int main(void)
{
    int y = x;
    OBSERVE(x);
    int x = 2;
    OBSERVE(x);
    {
        int x = 3;
        OBSERVE(x);
        {
            extern int observed_twice;
            int y = x + 10, x = y;
            OBSERVE(x);
        }
        x += y;
        OBSERVE(x);
    }
    OBSERVE(x);
    for (int x = 0; x < 2; x++) {
        int x = 70;
        OBSERVE(x++);
    }
    OBSERVE(x);
    OBSERVE(outer());
    OBSERVE(parameter(9));
    if (1) {
        enum { x = 99 };
        OBSERVE(x);
    }
    while (x < 3) {
        int z = x++, x = z;
        OBSERVE(x);
    }
    return 0;
}

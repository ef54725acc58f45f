/* Without break the next case goes on. */
#include "observe.h"

static int f(int x)
{
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 10;
        break;
    case 3:
    case 4: r += 100;
    case 5: r += 1000; break;
    default: r = -1;
    case 6: r -= 5;
    }
    return r;
}

int main(void)
{
    int i;
    for (i = 0; i < 8; i++)
        OBSERVE(f(i));
    OBSERVE(f(-1));
    return 0;
}

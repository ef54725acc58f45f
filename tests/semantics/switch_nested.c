/* Nested switches: break and case belong to the innermost. */
#include "observe.h"

static int f(int a, int b)
{
    int r = 0;
    switch (a) {
    case 0:
        switch (b) {
        case 0: r = 1; break;
        case 1: r = 2;
        default: r += 3;
        }
        r += 10;
        break;
    case 1:
        switch (b) { case 0: return 99; }
        r += 20;
    case 2:
        r += 30;
    }
    return r;
}

int main(void)
{
    int a, b;
    for (a = 0; a < 4; a++)
        for (b = 0; b < 3; b++)
            OBSERVE(f(a, b));
    return 0;
}

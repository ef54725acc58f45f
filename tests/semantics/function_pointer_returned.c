/* Functions that return function pointers. */
#include "observe.h"

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int neg(int x) { return -x; }
typedef int (*unary)(int);

static int (*choose(int k))(int) { return k == 0 ? inc : k == 1 ? dec : neg; }
static unary next(unary f) { if (f == inc) return dec; if (f == dec) return neg; return inc; }

int main(void)
{
    int i, x = 10;
    unary f = inc;
    for (i = 0; i < 3; i++)
        OBSERVE(choose(i)(x));
    for (i = 0; i < 5; i++) {
        x = f(x);
        OBSERVE(x);
        f = next(f);
    }
    OBSERVE(f == neg);
    OBSERVE(next(next(choose(1)))(7));
    return 0;
}

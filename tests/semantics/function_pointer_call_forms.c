/* f(), (&f)(), (*f)() and (**f)() all call f. */
#include "observe.h"

static int add(int a, int b) { return a + b; }
static int (*p)(int, int) = add;
typedef int binary(int, int);

static int apply(binary f, int a, int b) { return f(a, b); }

int main(void)
{
    binary *q = &add, **r = &q;
    OBSERVE(add(1, 2));
    OBSERVE((&add)(3, 4));
    OBSERVE((*add)(5, 6));
    OBSERVE((***add)(7, 8));
    OBSERVE(p(9, 10));
    OBSERVE((*p)(11, 12));
    OBSERVE((**p)(13, 14));
    OBSERVE((*r)(15, 16));
    OBSERVE((**r)(17, 18));
    OBSERVE(apply(add, 19, 20));
    OBSERVE(p == add && p == &add && p == *add);
    return 0;
}

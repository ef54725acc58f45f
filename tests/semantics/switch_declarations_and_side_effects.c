/* The operand is evaluated once; declarations before the first case are not run. */
#include "observe.h"

static int calls;
static int next(void) { return ++calls; }

static int f(int x)
{
    int r = 1;
    switch (x) {
        int y;
    case 0:
        y = 5;
        r = y;
        break;
    case 1: {
        int r = 100;
        y = r;
        r++;
        calls += y;
        break;
    }
    default:
        ;
    }
    return r;
}

int main(void)
{
    switch (next()) { case 1: case 2: next(); }
    OBSERVE(calls);
    switch (next(), calls * 2) { case 6: OBSERVE(66); break; default: OBSERVE(0); }
    OBSERVE(f(0));
    OBSERVE(f(1));
    OBSERVE(f(2));
    OBSERVE(calls);
    switch (3) { }
    switch (next()) ;
    OBSERVE(calls);
    return 0;
}

/* extern in a block names the global again, past a local of that name. */
#include "observe.h"

int x = 10;

static int f(void)
{
    int x = 3;
    {
        extern int x;
        x++;
        OBSERVE(x);
    }
    return x;
}

static int call(void)
{
    int g(int), y;
    extern int z;
    y = g(5) + z;
    return y;
}

int main(void)
{
    OBSERVE(f());
    OBSERVE(x);
    OBSERVE(call());
    {
        extern int z;
        z = 0;
    }
    OBSERVE(call());
    return 0;
}

int z = 100;
int g(int n) { return n * x; }

/* f() says nothing about the parameters. */
#include "observe.h"

int f();
static int g();
int (*table[])() = { f, g };

int main()
{
    int i;
    OBSERVE(f(1, 2));
    OBSERVE(g(5));
    for (i = 0; i < 2; i++)
        OBSERVE(table[i](i + 3, 4));
    OBSERVE(sizeof f(1, 2));
    {
        int (*h)() = g;
        OBSERVE(h(9));
    }
    return 0;
}

int f(int a, int b) { return a - b; }
static int g(int a) { return a * a; }

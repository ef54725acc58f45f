/* A jump into a block passes the initialisers over. */
#include "observe.h"

static int f(int k)
{
    int r = 0;
    if (k == 1)
        goto inside;
    r = 5;
    {
        int x = 7;
        r += x;
        if (0) {
inside:
            x = 20;
            r += 1;
        }
        r += x;
    }
    return r;
}

static int g(int k)
{
    int i = 0, n = 0;
    if (k)
        goto middle;
    for (i = 0; i < 5; i++) {
        n += 10;
middle:
        n += 1;
    }
    return n * 100 + i;
}

static int h(int k)
{
    int n = 0;
    switch (k) { case 1: goto into; }
    while (n < 20) {
        n += 3;
        if (n > 100) {
into:
            n += 7;
        }
    }
    return n;
}

int main(void)
{
    OBSERVE(f(0));
    OBSERVE(f(1));
    OBSERVE(g(0));
    OBSERVE(g(1));
    OBSERVE(h(0));
    OBSERVE(h(1));
    return 0;
}

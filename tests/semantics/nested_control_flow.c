/* if, else chains, dangling else, empty statements and blocks. */
#include "observe.h"

static int f(int a, int b)
{
    if (a)
        if (b)
            return 1;
        else
            return 2;
    if (a > b) ; else if (a == b) return 3;
    if (!a) { if (b < 0) return 4; } else return 5;
    { ; ; }
    return a - b;
}

static int sign(int x) { if (x > 0) return 1; else if (x < 0) return -1; else return 0; }

int main(void)
{
    int i, n = 0;
    OBSERVE(f(1, 1));
    OBSERVE(f(1, 0));
    OBSERVE(f(0, 0));
    OBSERVE(f(0, -3));
    OBSERVE(f(0, 7));
    OBSERVE(sign(5) + sign(-5) * 10 + sign(0) * 100);
    for (i = 0; i < 20; i++)
        if (i % 2)
            if (i % 3)
                n += i;
            else
                n += 1000;
        else
            while (n % 7)
                n++;
    OBSERVE(n);
    return 0;
}

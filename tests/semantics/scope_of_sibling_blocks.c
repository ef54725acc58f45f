/* Variables of the same name in sibling blocks are different objects. */
#include "observe.h"

static int f(int k)
{
    int r = 0, *p = 0;
    if (k) {
        int a = 10, b[2] = { 1, 2 };
        p = &a;
        *p += b[1];
        r += a;
    } else {
        char a = 100;
        long long b = 7;
        r += a + b;
    }
    {
        double a = 0.5;
        r += a * 4;
    }
    for (int a = 0; a < 3; a++)
        r += a;
    for (unsigned char a = 254; a; a++)
        r += a;
    return r;
}

int main(void)
{
    int k;
    for (k = 0; k < 3; k++)
        OBSERVE(f(k));
    OBSERVE(({ int a = 3; a; }) + ({ int a = 4; a; }));
    { static int a = 1; a++; OBSERVE(a); }
    { static int a = 5; a++; OBSERVE(a); }
    return 0;
}

/* Arrays whose size is computed when the declaration is reached. */
#include "observe.h"

static int sum(int n)
{
    int v[n], i, s = 0;
    for (i = 0; i < n; i++)
        v[i] = i * i;
    for (i = n; i-- > 0;)
        s += v[i];
    return s;
}

static int last(int n)
{
    char text[n * 2 + 1];
    int i;
    for (i = 0; i < n * 2; i++)
        text[i] = 'a' + i;
    text[n * 2] = 0;
    return text[n * 2 - 1] + sizeof text;
}

int main(void)
{
    int n = 4, i;
    OBSERVE(sum(5));
    OBSERVE(sum(10));
    OBSERVE(last(3));
    for (i = 1; i < 4; i++) {
        short v[i + n];
        short *p = v;
        int k;
        for (k = 0; k < i + n; k++)
            *p++ = k;
        OBSERVE(p - v);
        OBSERVE(p[-1]);
        OBSERVE(sizeof v);
    }
    {
        struct { int a; char c; } list[n];
        list[n - 1].a = 12;
        list[0] = list[n - 1];
        OBSERVE(list[0].a);
    }
    return 0;
}

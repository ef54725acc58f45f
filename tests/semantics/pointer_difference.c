/* The difference counts elements and has type ptrdiff_t. */
#include "observe.h"
#include <stddef.h>

struct s { int v[3]; };

int main(void)
{
    int a[10], *p = a + 7, *q = a + 2;
    struct s s[5];
    char c[100];
    short m[4][6];
    ptrdiff_t d = p - q;
    OBSERVE(d);
    OBSERVE(q - p);
    OBSERVE((p - q) / 2);
    OBSERVE(&s[4] - s);
    OBSERVE((char *)&s[4] - (char *)s);
    OBSERVE(&c[99] - &c[1]);
    OBSERVE(&m[3] - &m[1]);
    OBSERVE(&m[3][2] - &m[1][5] < 0);
    OBSERVE(sizeof(p - q) == sizeof(void *));
    OBSERVE((a + 10) - a);
    OBSERVE(q - p < 0);
    OBSERVE(q - p < 1u);
    return 0;
}

/* Steps have the size of the pointed-to type. */
#include "observe.h"

struct s { char c[5]; short n; };

int main(void)
{
    int v[8] = { 0, 10, 20, 30, 40, 50, 60, 70 }, *p = v;
    struct s s[4] = { { "a", 1 }, { "b", 2 }, { "c", 3 }, { "d", 4 } }, *q = s;
    double d[3] = { 0.5, 1.5, 2.5 }, *e = d + 3;
    p += 3;
    OBSERVE(*p);
    p -= 2;
    OBSERVE(*p);
    OBSERVE(p[5]);
    OBSERVE(*(p + 2) - *(p - 1));
    OBSERVE((char *)(p + 2) - (char *)p);
    OBSERVE((q + 2)->n);
    OBSERVE((char *)(q + 2) - (char *)q);
    OBSERVE(q[3].c[0]);
    OBSERVE_DOUBLE(*--e);
    OBSERVE_DOUBLE(e[-2]);
    OBSERVE(*(int *)((char *)v + 4 * sizeof(int)));
    p = &v[7];
    while (p > v)
        p = p - v < 2 ? v : p - 2;
    OBSERVE(p == v);
    return 0;
}

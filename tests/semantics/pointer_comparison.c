/* Pointers into one object are ordered by their positions. */
#include "observe.h"

struct s { int first, second; };

int main(void)
{
    int v[4] = { 3, 1, 2, 0 }, *p = v, *end = v + 4, n = 0, other;
    struct s s;
    while (p != end)
        n += *p++;
    OBSERVE(n);
    OBSERVE(p == end);
    OBSERVE(p > v);
    OBSERVE(v + 1 <= v + 1);
    OBSERVE(&v[1] < &v[2]);
    OBSERVE(&v[3] >= end);
    OBSERVE((void *)&s == (void *)&s.first);
    OBSERVE((char *)&s.second > (char *)&s.first);
    OBSERVE(v == &other);
    OBSERVE(&other != 0);
    OBSERVE(&v[2] == v + 2);
    for (n = 0, p = end; p > v;)
        n = n * 10 + *--p;
    OBSERVE(n);
    return 0;
}

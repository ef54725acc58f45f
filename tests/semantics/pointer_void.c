/* void pointers; GNU C computes with them in bytes. */
#include "observe.h"

static void swap(void *a, void *b, unsigned n)
{
    char *p = a, *q = b;
    while (n--) {
        char t = *p;
        *p++ = *q;
        *q++ = t;
    }
}

int main(void)
{
    double x = 1.5, y = -2.5;
    int v[4] = { 1, 2, 3, 4 };
    void *p = v;
    const void *c = &v[3];
    swap(&x, &y, sizeof x);
    OBSERVE_DOUBLE(x);
    OBSERVE_DOUBLE(y);
    swap(v, v + 2, 2 * sizeof *v);
    OBSERVE(v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]);
    OBSERVE(*(int *)(p + sizeof(int)));
    p += 8;
    OBSERVE(*(int *)p);
    OBSERVE(c - p);
    OBSERVE(sizeof(void));
    OBSERVE(*(const int *)c);
    return 0;
}

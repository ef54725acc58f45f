/* const and volatile pointers and what they point to. */
#include "observe.h"

int main(void)
{
    int a = 1, b = 2;
    const int *p = &a;
    int *const q = &a;
    const int *const r = &b;
    volatile int w = 5;
    volatile int *v = &w;
    int *restrict s = &b;
    const char *const names[] = { "x", "yy" };
    p = &b;
    *q = 10;
    OBSERVE(*p);
    OBSERVE(a);
    OBSERVE(*r);
    *v += 1;
    OBSERVE(w);
    OBSERVE(*v * w);
    *s = 20;
    OBSERVE(b);
    *(int *)p = 30;
    OBSERVE(*r);
    OBSERVE(names[1][1]);
    return 0;
}

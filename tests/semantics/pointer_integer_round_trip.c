/* A pointer survives the way through a wide enough integer. */
#include "observe.h"
#include <stdint.h>

int main(void)
{
    int v[4] = { 1, 2, 3, 4 };
    uintptr_t u = (uintptr_t)&v[1];
    unsigned long l = (unsigned long)v;
    int *p = (int *)u;
    *p = 20;
    OBSERVE(v[1]);
    p = (int *)(u + 2 * sizeof(int));
    OBSERVE(*p);
    OBSERVE(u - (uintptr_t)v);
    OBSERVE((int *)l == v);
    OBSERVE(u % sizeof(int));
    OBSERVE((u | 1) - u);
    p = (int *)((u | 1) & ~(uintptr_t)1);
    OBSERVE(*p);
    OBSERVE((int *)(intptr_t)0 == 0);
    OBSERVE((intptr_t)(char *)4 * 2);
    OBSERVE((uintptr_t)(&v[3] + 1) == l + sizeof v);
    return 0;
}

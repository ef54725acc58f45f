/* Assembly with an empty template orders accesses and keeps values. */
#include "observe.h"

static int global = 4;

int main(void)
{
    int x = 3, y, z;
    int *p = &x;
    __asm__ volatile("" ::: "memory");
    __asm__("" : "+r"(x));
    observe_value(x);
    __asm__ volatile("" : "=r"(y) : "0"(x + 1));
    observe_value(y);
    __asm__("" : [out] "=r"(z) : "[out]"(x + 2));
    observe_value(z);
    __asm__("" : "+r"(p));
    observe_value(*p);
    __asm__ __volatile__("nop; nop");
    __asm__ volatile("" : "+m"(global) : : "memory");
    observe_value(global);
    return 0;
}

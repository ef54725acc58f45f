/* A pointer that becomes a wider integer: its sign is extended. */
#include "observe.h"

int main(void)
{
    char *high = (char *)(unsigned long)0x80000000ul;
    volatile unsigned long bits = 0x90000000ul;
    char *unknown = (char *)bits;
    observe_value((long long)high);
    observe_value((unsigned long long)high);
    observe_value((long long)unknown);
    observe_value((unsigned long long)unknown);
    observe_value((unsigned long long)(unsigned long)unknown);
    int x;
    observe_value((int *)(long long)&x == &x);
    return 0;
}

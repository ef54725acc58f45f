/* A loop with two entries. */
#include "observe.h"

static int f(int k, int limit)
{
    int n = 0;
    if (k)
        goto second;
first:
    n += 1;
    if (n > limit)
        goto end;
second:
    n += 3;
    if (n > limit)
        goto end;
    if (n % 5)
        goto first;
    n += 100;
    goto second;
end:
    return n;
}

int main(void)
{
    int k, l;
    for (k = 0; k < 2; k++)
        for (l = 0; l < 250; l += 40)
            OBSERVE(f(k, l));
    return 0;
}

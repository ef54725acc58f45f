/* All parts of for may be missing; continue goes to the third part. */
#include "observe.h"

int main(void)
{
    int i, j, n = 0;
    for (i = 0, j = 10; i < j; i++, j -= 2)
        n += j;
    OBSERVE(n);
    OBSERVE(i * 100 + j);
    for (;;)
        if (++n > 50)
            break;
    OBSERVE(n);
    for (i = 0; i < 10; i++) {
        if (i & 1)
            continue;
        n += i;
    }
    OBSERVE(n);
    for (int i = 0, *p = &n; i < 3; ++i)
        *p += i;
    OBSERVE(n);
    OBSERVE(i);
    for (n = 0; n++ < 5;);
    OBSERVE(n);
    for (; n; n >>= 1)
        i++;
    OBSERVE(i);
    for (unsigned char c = 250; c > 5; c++)
        n++;
    OBSERVE(n);
    return 0;
}

/* Case labels inside a loop inside the switch. */
#include "observe.h"

static void copy(char *to, const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int into_if(int x)
{
    switch (x) {
        if (x > 100) {
    case 1: return 11;
        } else {
    case 2: x += 20;
        }
        x += 300;
    }
    return x;
}

int main(void)
{
    char from[] = "0123456789abc", to[14] = { 0 };
    int n;
    for (n = 1; n < 14; n += 3) {
        copy(to, from + 13 - n, n);
        OBSERVE(to[0]);
        OBSERVE(to[n - 1]);
    }
    OBSERVE(to[13]);
    OBSERVE(into_if(1));
    OBSERVE(into_if(2));
    OBSERVE(into_if(3));
    return 0;
}

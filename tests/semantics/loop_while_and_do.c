/* do runs its body first; continue in do goes to the condition. */
#include "observe.h"

int main(void)
{
    int i = 10, n = 0, k = 5;
    do
        n++;
    while (i < 5);
    OBSERVE(n);
    while (i < 5)
        n++;
    OBSERVE(n);
    do {
        if (--k == 2)
            continue;
        n += 10;
    } while (k > 0);
    OBSERVE(n);
    OBSERVE(k);
    do {
        n++;
        if (n % 7 == 0)
            break;
    } while (1);
    OBSERVE(n);
    do {
        k++;
        continue;
        k = 100;
    } while (0);
    OBSERVE(k);
    while (n-- > 40)
        if (n == 41)
            continue;
        else
            k += n;
    OBSERVE(k);
    OBSERVE(n);
    return 0;
}

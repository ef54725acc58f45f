/* break and continue belong to the innermost loop. */
#include "observe.h"

int main(void)
{
    int i, j, pairs = 0, skipped = 0, primes = 0;
    for (i = 2; i < 30; i++) {
        for (j = 2; j * j <= i; j++)
            if (i % j == 0)
                break;
        if (j * j <= i) {
            skipped++;
            continue;
        }
        primes = primes * 3 + i;
    }
    OBSERVE(primes);
    OBSERVE(skipped);
    for (i = 0; i < 6; i++) {
        j = 0;
        while (1) {
            if (++j == i)
                continue;
            if (j > 4)
                break;
            pairs++;
        }
        OBSERVE(pairs);
    }
    return 0;
}

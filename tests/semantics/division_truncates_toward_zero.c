/* The quotient is truncated, the remainder takes the dividend's sign. */
#include "observe.h"

int main(void)
{
    int values[] = { 7, -7, 1, -1, 0 };
    int divisors[] = { 2, -2, 3 };
    unsigned i, j;
    for (i = 0; i < 5; i++)
        for (j = 0; j < 3; j++) {
            OBSERVE(values[i] / divisors[j]);
            OBSERVE(values[i] % divisors[j]);
        }
    return 0;
}

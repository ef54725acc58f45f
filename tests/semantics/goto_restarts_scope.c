/* Each entry into a block runs its initialisers again. */
#include "observe.h"

int main(void)
{
    int rounds = 0, sum = 0;
again:
    {
        int local = 5;
        static int kept = 5;
        int array[3] = { 1, 2 };
        local++;
        kept++;
        array[2] += 3;
        sum += local + array[2];
        OBSERVE(local);
        OBSERVE(kept);
        OBSERVE(array[2]);
        if (++rounds < 3)
            goto again;
    }
    OBSERVE(sum);
    return 0;
}

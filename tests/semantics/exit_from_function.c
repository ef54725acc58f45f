/* exit ends the program from any depth. */
#include "observe.h"
#include <stdlib.h>

static void stop(int n)
{
    OBSERVE(n);
    if (n == 3)
        exit(0);
    stop(n + 1);
    OBSERVE(1000);
}

int main(void)
{
    int i;
    OBSERVE(55);
    for (i = 0; i < 10; i++) {
        OBSERVE(i);
        if (i == 2)
            stop(0);
    }
    OBSERVE(2000);
    return 1;
}

// The error needs what functions of the C library return.
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    int x = rand(), y = rand();
    if (x == 1234 && y == 5678)
        reach_error();
    return 0;
}

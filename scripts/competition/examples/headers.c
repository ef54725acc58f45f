#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

extern void reach_error(void);

/* That the headers are those of the data model. */
int main(void)
{
    if (sizeof(long) != sizeof(void *) || (LONG_MAX > INT_MAX) != (sizeof(void *) == 8) || sizeof(intptr_t) != sizeof(void *))
        reach_error();
    return EXIT_SUCCESS;
}

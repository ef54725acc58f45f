/* ++ on a _Bool gives 1, -- inverts it. */
#include "observe.h"

int main(void)
{
    _Bool b = 0;
    OBSERVE(b++);
    OBSERVE(b);
    OBSERVE(b++);
    OBSERVE(b);
    OBSERVE(++b);
    OBSERVE(b--);
    OBSERVE(b);
    OBSERVE(b--);
    OBSERVE(b);
    OBSERVE(--b);
    OBSERVE(--b);
    return 0;
}

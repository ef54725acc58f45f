/* abort ends the program at once: no handlers run. */
#include "observe.h"
#include <stdlib.h>

static void handler(void) { OBSERVE(1000); }
static void check(int ok) { if (!ok) abort(); OBSERVE(ok); }

int main(void)
{
    atexit(handler);
    OBSERVE(3);
    check(1);
    check(2);
    OBSERVE(4);
    OBSERVE(5);
    check(0);
    OBSERVE(2000);
    return 0;
}

/* Functions given to atexit run in reverse order, after main's return too. */
#include "observe.h"
#include <stdlib.h>

static int n = 1;
static void first(void) { OBSERVE(n * 10 + 1); n++; }
static void second(void) { OBSERVE(n * 10 + 2); n++; }
static void third(void) { OBSERVE(n * 10 + 3); n++; }

int main(void)
{
    OBSERVE(atexit(first));
    OBSERVE(atexit(second));
    atexit(third);
    atexit(first);
    OBSERVE(n);
    return 0;
}

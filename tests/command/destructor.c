#include <assert.h>
#include <stdlib.h>

static int state;
static void last(void) __attribute__((destructor));
static void last(void) { assert(state != 2); }
static void second(void) { state++; }
static void first(void) { state *= 2; }

int main(void)
{
    state = 1;
    atexit(second);
    atexit(first);
    exit(0);
}

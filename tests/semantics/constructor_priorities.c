/* Constructors run before `main`: those with a priority first, by priority, then the others in their order. */
#include "observe.h"

static int order;

__attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; }
__attribute__((constructor)) static void third(void) { order = order * 10 + 3; }
static void first(void) __attribute__((constructor(150)));
static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void fourth(void) { order = order * 10 + 4; }

int main(void)
{
    observe_value(order);
    return 0;
}

/* What the loader calls before main, by the sections that objects are in. */
#include "observe.h"

static unsigned long order;
static void note(unsigned digit) { order = order * 10 + digit; }
static void first(void) { note(1); }
static void second(void) { note(2); }
static void third(void) { note(3); }
static void fourth(void) { note(4); }
static void fifth(void) { note(5); }

#define PLACED(name) __attribute__((section(name), used))
static void (*plain)(void) PLACED(".init_array") = fourth;
__attribute__((constructor(200))) static void attributed(void) { note(6); }
static void (*numbered)(void) PLACED(".init_array.00150") = second;
static __typeof__(fifth) *by_type PLACED(".init_array") = &fifth;
static void (*later)(void) PLACED(".init_array.00300") = third;
static void (*before_all)(void) PLACED(".preinit_array") = first;
int in_function(void)
{
    static void (*local)(void) PLACED(".init_array") = first;
    return 0;
}
static int inert PLACED(".data.some") = 8;
__attribute__((section(".text.some"))) static int code(void) { return 9; }

int main(void)
{
    observe_value((long)order);
    observe_value(inert + code());
    return 0;
}

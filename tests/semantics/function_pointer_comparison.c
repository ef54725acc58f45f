/* Function pointers compare equal when they point to the same function. */
#include "observe.h"

static void nothing(void) { }
static int one(void) { return 1; }
static int two(void) { return 2; }

int main(void)
{
    int (*f)(void) = one, (*g)(void) = 0;
    void (*n)(void) = nothing;
    OBSERVE(f == one);
    OBSERVE(f != two);
    OBSERVE(g == 0);
    OBSERVE(!f);
    OBSERVE(f ? f() : 0);
    OBSERVE(g ? g() : 0);
    g = f;
    OBSERVE(g == f);
    f = two;
    OBSERVE(g == f);
    OBSERVE(f() * 10 + g());
    n();
    (0 ? one : two)();
    OBSERVE((1 ? one : two)());
    OBSERVE((void *)f == (void *)two);
    OBSERVE(((int (*)(void))(void (*)(void))one)());
    return 0;
}

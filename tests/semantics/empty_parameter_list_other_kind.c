/* An argument of a kind that the parameter cannot take: such a call compiles, and must not be made. */
#include "observe.h"

static int first_of();

static int guarded(int make_the_call)
{
    double value = 2.5;
    if (make_the_call)
        return first_of(value);
    return 7;
}

static int first_of(int *pointer) { return *pointer; }

int main(void)
{
    int number = 3;
    OBSERVE(guarded(0));
    OBSERVE(first_of(&number));
    return 0;
}

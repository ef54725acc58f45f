/* The type-generic macros choose a function by their arguments' types. */
#include <tgmath.h>
#include "observe.h"

int main(void)
{
    float f = 4;
    double d = 9;
    long double l = 16;
    observe_value(sizeof(sqrt(f)));
    observe_value(sizeof(sqrt(d)));
    observe_value(sizeof(sqrt(l)));
    observe_value(sizeof(fabs(1)));
    observe_value(sizeof(fmax(f, d)));
    observe_value(sizeof(fmax(f, 1)));
    observe_value(sizeof(fmin(l, f)));
    observe_double(sqrt(f));
    observe_double(sqrt(d));
    observe_double(floor(2.5f));
    observe_double(fabs(-3));
    observe_double(fmax(f, d));
    return 0;
}

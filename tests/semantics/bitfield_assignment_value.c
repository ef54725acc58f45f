/* The value of an assignment to a field is what the field then holds. */
#include "observe.h"

struct s { unsigned u : 4; int i : 4; _Bool b : 1; };

int main(void)
{
    struct s s;
    int x;
    OBSERVE(s.u = 31);
    OBSERVE(s.i = 31);
    OBSERVE(s.i = 8);
    OBSERVE(s.b = 6);
    x = s.u = -1;
    OBSERVE(x);
    x = s.i = s.u;
    OBSERVE(x);
    x = (s.u = 20) + (100);
    OBSERVE(x);
    if (s.u = 16)
        OBSERVE(1);
    else
        OBSERVE(0);
    return 0;
}

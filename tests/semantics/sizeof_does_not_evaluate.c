/* The operand of sizeof, typeof, _Alignof and _Generic is not evaluated. */
#include "observe.h"

static int calls;
static long long f(void) { calls++; return 1; }

int main(void)
{
    int i = 5, v[4], *p = 0;
    OBSERVE(sizeof(i++));
    OBSERVE(i);
    OBSERVE(sizeof f());
    OBSERVE(calls);
    OBSERVE(sizeof(v[i = 100]));
    OBSERVE(sizeof *p);
    OBSERVE(sizeof(p[10]));
    OBSERVE(_Generic(i++, int: 1, default: 2));
    {
        typeof(f()) x = 3;
        typeof(i--) y = i;
        OBSERVE(sizeof x + y);
    }
    OBSERVE(sizeof(f(), (char)i++));
    OBSERVE(__alignof__(i++));
    OBSERVE(i);
    OBSERVE(calls);
    return 0;
}

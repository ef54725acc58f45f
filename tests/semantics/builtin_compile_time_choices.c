/* types_compatible_p, choose_expr, constant_p, expect. */
#include "observe.h"

#define IS(x, type) __builtin_types_compatible_p(typeof(x), type)

int main(void)
{
    int i = 3, calls = 0;
    const int c = 4;
    char *p = "x";
    int v[3];
    OBSERVE(IS(i, int));
    OBSERVE(IS(c, int));
    OBSERVE(IS(i, unsigned));
    OBSERVE(IS(p, char *));
    OBSERVE(IS(p, const char *));
    OBSERVE(IS(v, int[3]) + 2 * IS(v, int[]));
    OBSERVE(__builtin_types_compatible_p(void, void));
    OBSERVE(__builtin_types_compatible_p(void, int));
    OBSERVE(__builtin_types_compatible_p(int (*)(int), int (*)(int)));
    OBSERVE(__builtin_choose_expr(1, i, calls++));
    OBSERVE(sizeof(__builtin_choose_expr(0, 1ll, (char)1)));
    OBSERVE(calls);
    OBSERVE(__builtin_constant_p(5 * 3));
    OBSERVE(__builtin_expect(i == 3, 1));
    OBSERVE(__builtin_expect(i * 100, 0));
    if (__builtin_expect(i++ > 2, 0))
        OBSERVE(i);
    if (i == 100)
        __builtin_unreachable();
    OBSERVE(sizeof(__builtin_expect(i, 0)));
    return 0;
}

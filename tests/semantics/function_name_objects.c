/* `__func__` is an array of the function's own. */
#include "observe.h"

static const char *other(void)
{
    return __func__;
}

int main(void)
{
    const char *p = __func__, *q = __func__;
    static const char *r = __func__;
    observe_value(sizeof __func__);
    observe_value(p == q);
    observe_value(p == r);
    observe_value(p == other());
    observe_value((const char *)"main" == p);
    observe_value(p[0] + other()[4]);
    return 0;
}

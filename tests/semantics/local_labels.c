/* GNU C: __label__ makes a label local to its block. */
#include "observe.h"

#define FIND(array, size, value) ({ \
    __label__ found; \
    int index_, result_ = -1; \
    for (index_ = 0; index_ < (size); index_++) \
        if ((array)[index_] == (value)) { \
            result_ = index_; \
            goto found; \
        } \
    result_ = 100; \
found: \
    result_; })

int main(void)
{
    int v[] = { 4, 8, 15, 16, 23, 42 };
    int n = 0;
    OBSERVE(FIND(v, 6, 15));
    OBSERVE(FIND(v, 6, 42));
    OBSERVE(FIND(v, 6, 5));
    {
        __label__ again;
again:
        if (++n < 4)
            goto again;
    }
    OBSERVE(n);
    {
        __label__ again, other;
        goto other;
again:
        n *= 10;
        goto out;
other:
        n++;
        goto again;
    }
out:
    OBSERVE(n);
    return 0;
}

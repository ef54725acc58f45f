/* long meets unsigned int: signed where long is wider, else unsigned long. */
#include "observe.h"

int main(void)
{
    long l = -1;
    unsigned u = 1;
    long long ll = -1;
    unsigned long ul = 1;
    OBSERVE(l < u);
    OBSERVE(l + u);
    OBSERVE(l * u);
    OBSERVE(l / 2u);
    OBSERVE(ll < u);
    OBSERVE(ll < ul);
    OBSERVE(ll / 3ul);
    OBSERVE((l + u) < 0);
    OBSERVE(l > ul);
    OBSERVE(sizeof(l + u));
    OBSERVE(sizeof(ll + ul));
    OBSERVE(u - 2l < 0);
    OBSERVE(u - 2ll < 0);
    OBSERVE(u - 2 < 0);
    return 0;
}

/* GNU C: a ?: b evaluates a once. */
#include "observe.h"

static int calls;
static int next(void) { return calls++; }

int main(void)
{
    int zero = 0, five = 5, *p = 0, *q = &five;
    OBSERVE(zero ?: 7);
    OBSERVE(five ?: 7);
    OBSERVE(next() ?: 100);
    OBSERVE(next() ?: 100);
    OBSERVE(calls);
    OBSERVE(*(p ?: q));
    OBSERVE(*(q ?: p));
    OBSERVE(zero ?: zero ?: 3);
    OBSERVE_DOUBLE(0.0 ?: 2.5);
    OBSERVE_DOUBLE(0.5 ?: 3);
    OBSERVE(-1 ?: 0u);
    OBSERVE(sizeof((char)1 ?: 2ll));
    OBSERVE(five++ ?: 9);
    OBSERVE(five);
    return 0;
}

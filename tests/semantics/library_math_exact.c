/* Exact cases of functions that are not computed in general, and what they do to errno. */
#include "observe.h"
#include <errno.h>
#include <math.h>

static volatile double two = 2, minus = -1, three = 3, four = 4;

int main(void)
{
    OBSERVE(pow(two, 10) == 1024);
    OBSERVE(pow(minus, 3) == -1);
    OBSERVE(pow(three, 0) == 1);
    OBSERVE(hypot(three, four) == 5);
    OBSERVE(exp(0) == 1);
    OBSERVE(log(1) == 0);
    OBSERVE(cos(0) == 1);
    errno = 0;
    (void)sqrt(minus);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)sqrt(four);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)fmod(four, two - 2);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)log(minus);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)log(two - 2);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)log10(minus);
    OBSERVE((unsigned)errno);
    errno = 0;
    (void)acos(four);
    OBSERVE((unsigned)errno);
    return 0;
}

/* lround, llround, lrint and llrint. */
#include "observe.h"
#include <fenv.h>
#include <math.h>

int main(void)
{
    OBSERVE(lround(2.5));
    OBSERVE(lround(-2.5));
    OBSERVE(llround(0.49999999999999994));
    OBSERVE(llround(-1e15 - 0.5));
    OBSERVE(lrint(2.5));
    OBSERVE(lrint(3.5));
    OBSERVE(lrint(-2.5));
    OBSERVE(llrint(1e15 + 0.5));
    OBSERVE(lroundf(7.5f));
    OBSERVE(lrintf(-0.5f));
    fesetround(FE_UPWARD);
    OBSERVE(lrint(2.1));
    OBSERVE(lround(2.1));
    OBSERVE(llrint(-2.1));
    fesetround(FE_DOWNWARD);
    OBSERVE(lrint(-2.1));
    return 0;
}

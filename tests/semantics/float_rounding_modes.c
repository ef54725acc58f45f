/* fesetround changes the rounding of the operations that follow. */
#include "observe.h"
#include <fenv.h>

#pragma STDC FENV_ACCESS ON

static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

int main(void)
{
    volatile double one = 1.0, three = 3.0, tiny = 1e-30;
    volatile float fone = 1.0f, ften = 10.0f;
    int i;
    OBSERVE(fegetround() == FE_TONEAREST);
    for (i = 0; i < 4; i++) {
        double quotient, sum, difference;
        float f, g;
        OBSERVE(fesetround(modes[i]));
        quotient = one / three;
        sum = one + tiny;
        difference = tiny - one;
        f = -fone / ften;
        g = (float)quotient;
        fesetround(FE_TONEAREST);
        OBSERVE_DOUBLE(quotient);
        OBSERVE_DOUBLE(sum);
        OBSERVE_DOUBLE(difference);
        OBSERVE_FLOAT(f);
        OBSERVE_FLOAT(g);
    }
    return 0;
}

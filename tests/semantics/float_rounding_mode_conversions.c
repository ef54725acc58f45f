/* The rounding mode counts for integers made floats, products and roots, not for casts to int. */
#include "observe.h"
#include <fenv.h>
#include <math.h>

#pragma STDC FENV_ACCESS ON

static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

int main(void)
{
    volatile int big = 16777217, negative = -16777217;
    volatile long long wide = 9007199254740993ll;
    volatile double x = 2.5, two = 2.0, huge = 1e308;
    int i;
    for (i = 0; i < 3; i++) {
        float f, g;
        double d, r, o, p, q;
        int n, m;
        fesetround(modes[i]);
        f = big;
        g = negative;
        d = wide;
        n = x;
        m = -x;
        r = rint(x);
        o = huge * 10;
        p = -huge * 10;
        q = sqrt(two);
        fesetround(FE_TONEAREST);
        OBSERVE_FLOAT(f);
        OBSERVE_FLOAT(g);
        OBSERVE_DOUBLE(d);
        OBSERVE(n);
        OBSERVE(m);
        OBSERVE_DOUBLE(r);
        OBSERVE_DOUBLE(o);
        OBSERVE_DOUBLE(p);
        OBSERVE_DOUBLE(q);
    }
    return 0;
}

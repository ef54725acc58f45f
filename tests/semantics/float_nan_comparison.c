/* NaN is unordered: every comparison but != is false. */
#include "observe.h"
#include <math.h>

int main(void)
{
    double zero = 0.0, nan = zero / zero, x = 1.0;
    float fnan = (float)nan;
    OBSERVE(nan == nan);
    OBSERVE(nan != nan);
    OBSERVE(nan < x);
    OBSERVE(nan > x);
    OBSERVE(nan <= nan);
    OBSERVE(x >= nan);
    OBSERVE(!(nan < x));
    OBSERVE(!(nan >= x));
    OBSERVE(fnan != fnan);
    OBSERVE(nan == x);
    OBSERVE(x != nan);
    OBSERVE(nan ? 1 : 0);
    OBSERVE(nan && 1);
    OBSERVE(isnan(nan + 1) && isnan(-nan));
    OBSERVE_DOUBLE(nan < x ? 1.0 : 2.0);
    OBSERVE(isless(nan, x) + isgreater(x, 0.5) * 10 + isunordered(nan, x) * 100 + islessgreater(x, x) * 1000);
    OBSERVE(isgreaterequal(x, 1.0) + islessequal(nan, nan) * 10);
    return 0;
}

/* Comparisons of floats with floats and with integers. */
#include "observe.h"

int main(void)
{
    float f = 0.1f;
    double d = 0.1;
    int i = 16777217, j = 3;
    unsigned u = 4294967295u;
    long long l = 9007199254740993ll;
    OBSERVE(f == d);
    OBSERVE(f < d);
    OBSERVE(f > d);
    OBSERVE((double)f == f);
    OBSERVE((float)i == i);
    OBSERVE((double)i == i);
    OBSERVE(i == 16777216.0f);
    OBSERVE(j == 3.0);
    OBSERVE(j < 3.0000001f);
    OBSERVE(u == 4294967295.0);
    OBSERVE(u == 4294967296.0f);
    OBSERVE(l == 9007199254740992.0);
    OBSERVE(-1 < 0.0);
    OBSERVE(-1 < 0u + 0.0);
    OBSERVE(0.0 == -0.0);
    OBSERVE(d <= 0.1 && d >= 0.1);
    return 0;
}

/* Narrowing rounds to nearest even, to infinity and to denormals. */
#include "observe.h"

int main(void)
{
    double tie = 1.0 + 0x1p-24, above = tie + 0x1p-50, odd = 1.0 + 3 * 0x1p-24;
    double max = 3.4028234663852886e38, over = max + 0x1p102, edge = max + 0x1.fffffffp102;
    OBSERVE_FLOAT(tie);
    OBSERVE_FLOAT(above);
    OBSERVE_FLOAT(odd);
    OBSERVE_FLOAT((float)-odd);
    OBSERVE_FLOAT(max);
    OBSERVE_FLOAT(over);
    OBSERVE_FLOAT(edge);
    OBSERVE_FLOAT(max + 0x1p103);
    OBSERVE_FLOAT(1e300);
    OBSERVE_FLOAT(-1e300);
    OBSERVE_FLOAT(0x1p-150);
    OBSERVE_FLOAT(0x1.8p-150);
    OBSERVE_FLOAT(0x1.8p-149);
    OBSERVE_FLOAT(0.1);
    OBSERVE_DOUBLE((float)0.1);
    OBSERVE((float)0.1 == 0.1);
    OBSERVE((float)0.5 == 0.5);
    return 0;
}

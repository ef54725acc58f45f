/* int meets unsigned int: both become unsigned. */
#include "observe.h"

int main(void)
{
    int i = -5;
    unsigned u = 3;
    OBSERVE(i + u);
    OBSERVE(i + u > 0);
    OBSERVE(i / u);
    OBSERVE(i % u);
    OBSERVE(i * u);
    OBSERVE(i < u);
    OBSERVE(i - u);
    OBSERVE(u - 4);
    OBSERVE((u - 4) / 2);
    OBSERVE((int)(u - 4) / 2);
    OBSERVE(i & u);
    OBSERVE((i | u) >> 1);
    OBSERVE(-1 > sizeof(int));
    return 0;
}

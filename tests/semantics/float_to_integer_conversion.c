/* Conversion to an integer cuts the fraction off. */
#include "observe.h"

int main(void)
{
    double values[] = { 2.9, -2.9, 0.999999, -0.5, 100.0, 126.99 };
    float f = 3000000.75f;
    double big = 3e9, huge = -9e18;
    unsigned i;
    for (i = 0; i < 6; i++) {
        OBSERVE((int)values[i]);
        OBSERVE((signed char)values[i]);
    }
    OBSERVE((int)f);
    OBSERVE((short)-32768.9);
    OBSERVE((unsigned)big);
    OBSERVE((unsigned char)255.9);
    OBSERVE((unsigned short)65535.5f);
    OBSERVE((long long)big);
    OBSERVE((long long)huge);
    OBSERVE((unsigned)-0.9);
    OBSERVE((_Bool)0.1);
    OBSERVE((char)-128.5);
    /* Out of range: the nearest number, if the compiler converts. */
    OBSERVE((unsigned char)300.7);
    OBSERVE((signed char)-1000.0);
    OBSERVE((int)1e20);
    OBSERVE((unsigned)-5.5);
    OBSERVE((long long)-1e30);
    OBSERVE((unsigned long long)1e30f);
    OBSERVE((int)1e400);
    return 0;
}

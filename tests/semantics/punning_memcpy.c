/* memcpy carries representations between types. */
#include "observe.h"
#include <string.h>

int main(void)
{
    float f = 1.5f;
    unsigned u;
    double d;
    unsigned long long w = 0x4009000000000000ull;
    unsigned char buffer[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
    short s;
    int *pointer, target = 5, *restored;
    memcpy(&u, &f, sizeof u);
    OBSERVE(u);
    u += 1 << 23;
    memcpy(&f, &u, sizeof f);
    OBSERVE_FLOAT(f);
    memcpy(&d, &w, sizeof d);
    OBSERVE_DOUBLE(d);
    memcpy(&u, buffer + 3, sizeof u);
    OBSERVE(u);
    memcpy(&w, buffer + 5, sizeof w);
    OBSERVE(w);
    memcpy(&s, buffer + 1, sizeof s);
    OBSERVE(s);
    memcpy(buffer + 7, &u, sizeof u);
    OBSERVE(buffer[8]);
    pointer = &target;
    memcpy(&restored, &pointer, sizeof pointer);
    *restored = 6;
    OBSERVE(target);
    return 0;
}

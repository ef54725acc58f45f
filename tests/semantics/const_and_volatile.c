/* Qualifiers change no values; each volatile access happens. */
#include "observe.h"

static volatile int v;
static const int limit = 5;
static const struct { int a; const char *s; } table[] = { { 1, "x" }, { 2, "y" } };
volatile struct { unsigned a : 3; int b; } device;

static int read_twice(volatile int *p) { return *p + *p; }

int main(void)
{
    const int n = limit * 2;
    volatile unsigned char c = 255;
    volatile double d = 0.5;
    int i;
    for (i = 0; i < limit; i++)
        v = v + i;
    OBSERVE(v);
    v++;
    v += 2;
    OBSERVE(read_twice(&v));
    OBSERVE(n);
    c++;
    OBSERVE(c);
    c--;
    OBSERVE(c);
    d *= 3;
    OBSERVE_DOUBLE(d);
    device.a = 9;
    device.b = device.a;
    OBSERVE(device.b);
    OBSERVE(table[1].a + table[1].s[0]);
    return 0;
}

/* Arguments and returned values are converted to the declared types. */
#include "observe.h"

static int takes_char(signed char c) { return c; }
static int takes_uchar(unsigned char c) { return c; }
static long long takes_unsigned(unsigned u) { return u; }
static double takes_float(float f) { return f; }
static unsigned char returns_uchar(int i) { return i; }
static short returns_short(int i) { return i; }
static int returns_int(double d) { return d; }
static float returns_float(double d) { return d; }
static _Bool returns_bool(int i) { return i; }
static long long returns_wide(int i) { return i; }
static unsigned long long returns_unsigned_wide(int i) { return i; }

int main(void)
{
    OBSERVE(takes_char(200));
    OBSERVE(takes_uchar(-1));
    OBSERVE(takes_unsigned(-1));
    OBSERVE_DOUBLE(takes_float(0.1));
    OBSERVE(takes_char(65.9));
    OBSERVE(returns_uchar(1000));
    OBSERVE(returns_short(40000));
    OBSERVE(returns_int(-2.9));
    OBSERVE_FLOAT(returns_float(1e-3));
    OBSERVE(returns_bool(256));
    OBSERVE(returns_wide(-7));
    OBSERVE(returns_unsigned_wide(-7));
    return 0;
}

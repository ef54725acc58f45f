/* <math.h>: functions on the bits of a floating-point number. */

static int __regatta_shared_signgam;

int __regatta_initial_signgam(void)
{
    return 0;
}

/* Whether the function reports an error is not modelled. */

static void __regatta_range_perhaps(void)
{
    if (__regatta_unknown_int())
        *__errno_location() = 34; /* ERANGE */
}

void __regatta_errno_perhaps(void)
{
    if (__regatta_unknown_int())
        *__errno_location() = 33; /* EDOM */
    else
        __regatta_range_perhaps();
}

float frexpf(float x, int *exponent)
{
    __regatta_float_bits number;
    int scale = 126;
    *exponent = 0;
    if (x == 0 || !__builtin_isfinite(x))
        return x;
    number.value = x;
    if ((number.bits >> 23 & 0xff) == 0) {
        number.value = x * 0x1p32f;
        scale = 126 + 32;
    }
    *exponent = (int)(number.bits >> 23 & 0xff) - scale;
    number.bits = (number.bits & 0x807fffff) | 0x3f000000;
    return number.value;
}

double frexp(double x, int *exponent)
{
    __regatta_double_bits number;
    int scale = 1022;
    *exponent = 0;
    if (x == 0 || !__builtin_isfinite(x))
        return x;
    number.value = x;
    if ((number.bits >> 52 & 0x7ff) == 0) {
        number.value = x * 0x1p64;
        scale = 1022 + 64;
    }
    *exponent = (int)(number.bits >> 52 & 0x7ff) - scale;
    number.bits = (number.bits & 0x800fffffffffffffULL) | 0x3fe0000000000000ULL;
    return number.value;
}

long double frexpl(long double x, int *exponent)
{
    __regatta_long_double_bits number;
    int scale = 16382;
    *exponent = 0;
    if (x == 0 || !__builtin_isfinite(x))
        return x;
    number.value = x;
    if ((number.parts.exponent & 0x7fff) == 0) {
        number.value = x * 0x1p64L;
        scale = 16382 + 64;
    }
    *exponent = (int)(number.parts.exponent & 0x7fff) - scale;
    number.parts.exponent = (unsigned short)((number.parts.exponent & 0x8000) | 0x3ffe);
    return number.value;
}

/* Multiplies by powers of two in steps that round at most once: the last one. */

static float __regatta_scaledf(float x, int exponent)
{
    __regatta_float_bits power;
    if (exponent > 127) {
        x *= 0x1p127f;
        exponent -= 127;
        if (exponent > 127) {
            x *= 0x1p127f;
            exponent = exponent - 127 > 127 ? 127 : exponent - 127;
        }
    } else if (exponent < -126) {
        x *= 0x1p-102f;
        exponent += 102;
        if (exponent < -126) {
            x *= 0x1p-102f;
            exponent = exponent + 102 < -126 ? -126 : exponent + 102;
        }
    }
    power.bits = (unsigned)(127 + exponent) << 23;
    return x * power.value;
}

static double __regatta_scaled(double x, int exponent)
{
    __regatta_double_bits power;
    if (exponent > 1023) {
        x *= 0x1p1023;
        exponent -= 1023;
        if (exponent > 1023) {
            x *= 0x1p1023;
            exponent = exponent - 1023 > 1023 ? 1023 : exponent - 1023;
        }
    } else if (exponent < -1022) {
        x *= 0x1p-969;
        exponent += 969;
        if (exponent < -1022) {
            x *= 0x1p-969;
            exponent = exponent + 969 < -1022 ? -1022 : exponent + 969;
        }
    }
    power.bits = (unsigned long long)(1023 + exponent) << 52;
    return x * power.value;
}

static long double __regatta_scaledl(long double x, int exponent)
{
    __regatta_long_double_bits power;
    if (exponent > 16383) {
        x *= 0x1p16383L;
        exponent -= 16383;
        if (exponent > 16383) {
            x *= 0x1p16383L;
            exponent = exponent - 16383 > 16383 ? 16383 : exponent - 16383;
        }
    } else if (exponent < -16382) {
        x *= 0x1p-16318L;
        exponent += 16318;
        if (exponent < -16382) {
            x *= 0x1p-16318L;
            exponent = exponent + 16318 < -16382 ? -16382 : exponent + 16318;
        }
    }
    power.value = 1;
    power.parts.exponent = (unsigned short)(16383 + exponent);
    return x * power.value;
}

float nextafterf(float x, float y)
{
    __regatta_float_bits number;
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0) {
        __regatta_range_perhaps();
        return copysignf(0x1p-149f, y);
    }
    number.value = x;
    if ((x < y) == (x > 0))
        number.bits++;
    else
        number.bits--;
    __regatta_errno_nextf(number.value);
    return number.value;
}

double nextafter(double x, double y)
{
    __regatta_double_bits number;
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0) {
        __regatta_range_perhaps();
        return copysign(0x1p-1074, y);
    }
    number.value = x;
    if ((x < y) == (x > 0))
        number.bits++;
    else
        number.bits--;
    __regatta_errno_next(number.value);
    return number.value;
}

long double nextafterl(long double x, long double y)
{
    if (x != y)
        __regatta_range_perhaps();
    return __regatta_unknown_long_double();
}

long double nexttowardl(long double x, long double y)
{
    return nextafterl(x, y);
}

float nexttowardf(float x, long double y)
{
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + (float)y;
    if (x == y)
        return (float)y;
    return nextafterf(x, y > x ? __builtin_inff() : -__builtin_inff());
}

double nexttoward(double x, long double y)
{
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + (double)y;
    if (x == y)
        return (double)y;
    return nextafter(x, y > x ? __builtin_inf() : -__builtin_inf());
}

/* Bessel functions: their values are not modelled. */

double jn(int order, double x)
{
    (void)order;
    (void)x;
    __regatta_errno_perhaps();
    return __regatta_unknown_double();
}

double yn(int order, double x)
{
    return jn(order, x);
}

/* <fenv.h>: of the environment, only the rounding mode is modelled; the raised exceptions are not known. Its layout is
   that of `fnstenv`, with the SSE control register in the last word, or in place of the instruction's address. */

static unsigned *__regatta_fenv_register(const void *environment)
{
    return (unsigned *)environment + (sizeof(void *) == 8 ? 7 : 3);
}

int fegetenv(void *environment)
{
    unsigned *words = environment;
    unsigned rounding = (unsigned)fegetround();
    unsigned raised = 0;
    words[0] = 0xffff037fu | rounding;
    words[1] = 0xffff0000u;
    words[2] = 0xffffffffu;
    words[3] = 0;
    words[4] = 0;
    words[5] = 0;
    words[6] = 0xffff0000u;
    if (__VERIFIER_nondet_bool()) {
        raised = (unsigned)__regatta_unknown_int() & 0x3f;
        for (int i = 1; i < 6; i++)
            words[i] = (unsigned)__regatta_unknown_int();
    }
    *__regatta_fenv_register(environment) = 0x1f80u | rounding << 3 | raised;
    return 0;
}

int fesetenv(const void *environment)
{
    if (environment == (const void *)-1) {
        fesetround(0);
        return 0;
    }
    if (environment == (const void *)-2)
        __regatta_unsupported("exceptions of floating-point numbers that end the program");
    unsigned control = *(const unsigned *)environment & 0xffff;
    unsigned other = *__regatta_fenv_register(environment);
    /* All exceptions are masked, the precision is the largest, subnormal numbers are not flushed, and both units agree.
       */
    if ((control & 0xf33f) != 0x033f || (other & 0xffff9fc0u) != 0x1f80 || (other >> 3 & 0xc00) != (control & 0xc00))
        __regatta_unsupported("an environment of floating-point numbers of the program's own making");
    fesetround((int)(control & 0xc00));
    return 0;
}

int feenableexcept(int exceptions)
{
    if ((exceptions & 0x3d) != 0)
        __regatta_unsupported("exceptions of floating-point numbers that end the program");
    return 0;
}

int feholdexcept(void *environment)
{
    return fegetenv(environment);
}

int feupdateenv(const void *environment)
{
    return fesetenv(environment);
}

/* Bit counts. */

int __builtin_parity(unsigned value)
{
    return __builtin_popcount(value) & 1;
}

int __builtin_parityl(unsigned long value)
{
    return __builtin_popcountl(value) & 1;
}

int __builtin_parityll(unsigned long long value)
{
    return __builtin_popcountll(value) & 1;
}

int __builtin_clrsb(int value)
{
    return __builtin_clz((unsigned)(value < 0 ? ~value : value) << 1 | 1);
}

int __builtin_clrsbl(long value)
{
    return __builtin_clzl((unsigned long)(value < 0 ? ~value : value) << 1 | 1);
}

int __builtin_clrsbll(long long value)
{
    return __builtin_clzll((unsigned long long)(value < 0 ? ~value : value) << 1 | 1);
}

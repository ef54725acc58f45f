/* <math.h> for each floating-point type: REAL is the type, __X the suffix of the names ("", f, l). */

/* For two zeros of different signs, either may be the result. */

REAL fmin__X(REAL x, REAL y)
{
    if (__builtin_isnan(x))
        return y;
    if (__builtin_isnan(y))
        return x;
    if (x == 0 && y == 0 && __builtin_signbit(x) != __builtin_signbit(y) && __regatta_unknown_int())
        return x;
    return x < y ? x : y;
}

REAL fmax__X(REAL x, REAL y)
{
    if (__builtin_isnan(x))
        return y;
    if (__builtin_isnan(y))
        return x;
    if (x == 0 && y == 0 && __builtin_signbit(x) != __builtin_signbit(y) && __regatta_unknown_int())
        return x;
    return x > y ? x : y;
}

REAL fdim__X(REAL x, REAL y)
{
    if (x <= y)
        return 0;
    REAL result = x - y;
    if (__builtin_isinf(result) && !__builtin_isinf(x) && !__builtin_isinf(y))
        *__errno_location() = 34; /* ERANGE */
    return result;
}

/* The result for a value out of range is unspecified. */
static long __regatta_to_long__X(REAL x)
{
    REAL limit = sizeof(long) == 8 ? 0x1p63L : 0x1p31L;
    return x >= -limit && x < limit ? (long)x : (long)__regatta_unknown_size();
}

static long long __regatta_to_long_long__X(REAL x)
{
    REAL limit = 0x1p63L;
    if (x >= -limit && x < limit)
        return (long long)x;
    return (long long)((unsigned long long)__regatta_unknown_int() << 32 | (unsigned)__regatta_unknown_int());
}

long lround__X(REAL x)
{
    return __regatta_to_long__X(round__X(x));
}

long long llround__X(REAL x)
{
    return __regatta_to_long_long__X(round__X(x));
}

long lrint__X(REAL x)
{
    return __regatta_to_long__X(rint__X(x));
}

long long llrint__X(REAL x)
{
    return __regatta_to_long_long__X(rint__X(x));
}

REAL modf__X(REAL x, REAL *integral)
{
    REAL whole = trunc__X(x);
    *integral = whole;
    if (__builtin_isnan(x))
        return x;
    if (__builtin_isinf(x))
        return copysign__X(0, x);
    return copysign__X(x - whole, x);
}

REAL ldexp__X(REAL x, int exponent)
{
    REAL result = __regatta_scaled__X(x, exponent);
    if (x != 0 && __builtin_isfinite(x)) {
        /* Results that are not normal need not be errors. */
        if (result == 0 || __builtin_isinf(result))
            *__errno_location() = 34; /* ERANGE */
        else if (!__builtin_isnormal(result))
            __regatta_range_perhaps();
    }
    return result;
}

REAL scalbn__X(REAL x, int exponent)
{
    return ldexp__X(x, exponent);
}

REAL scalbln__X(REAL x, long exponent)
{
    if (exponent > 100000)
        exponent = 100000;
    if (exponent < -100000)
        exponent = -100000;
    return ldexp__X(x, (int)exponent);
}

REAL logb__X(REAL x)
{
    if (__builtin_isnan(x))
        return x;
    if (__builtin_isinf(x))
        return x * x;
    if (x == 0)
        return -1 / fabs__X(x);
    return ilogb__X(x);
}

int ilogb__X(REAL x)
{
    int exponent;
    if (x == 0 || !__builtin_isfinite(x)) {
        *__errno_location() = 33; /* EDOM */
        return __builtin_isinf(x) ? 2147483647 : -2147483647 - 1;
    }
    frexp__X(x, &exponent);
    return exponent - 1;
}

REAL remquo__X(REAL x, REAL y, int *quotient)
{
    *quotient = __regatta_unknown_int();
    return remainder__X(x, y);
}

void sincos__X(REAL x, REAL *sine, REAL *cosine)
{
    *sine = sin__X(x);
    *cosine = cos__X(x);
}

/* The sign of the gamma function at x, as `signgam` has it: between negative integers it alternates. */
static int __regatta_gamma_sign__X(REAL x)
{
    if (x > 0 || __builtin_isnan(x))
        return 1;
    REAL whole = floor__X(x);
    if (whole == x || __builtin_isinf(x)) {
        int sign = __regatta_unknown_int();
        __VERIFIER_assume(sign == 1 || sign == -1);
        return sign;
    }
    return fmod__X(whole, 2) != 0 ? -1 : 1;
}

REAL lgamma__X_r(REAL x, int *sign)
{
    *sign = __regatta_gamma_sign__X(x);
    __regatta_range_perhaps();
    return __regatta_unknown_real__X();
}

REAL lgamma__X(REAL x)
{
    return lgamma__X_r(x, &__regatta_shared_signgam);
}

REAL gamma__X(REAL x)
{
    return lgamma__X_r(x, &__regatta_shared_signgam);
}

/* Functions that are not computed: their exact cases, domain errors and bounds. */

REAL pow__X(REAL x, REAL y)
{
    if (y == 0 || x == 1)
        return 1;
    if (y == 1)
        return x;
    if (trunc__X(x) == x && trunc__X(y) == y && y > 1 && y <= 32 && fabs__X(x) <= 4096) {
        /* Exact while the result fits into 24 bits of significand, as all formats have. */
        REAL result = x;
        int count = 1;
        while (count < (int)y && fabs__X(result * x) <= 16777216) {
            result *= x;
            count++;
        }
        if (count == (int)y)
            return result;
    }
    if (x < 0 && __builtin_isfinite(x) && __builtin_isfinite(y) && trunc__X(y) != y) {
        *__errno_location() = 33; /* EDOM */
        return (x - x) / (x - x);
    }
    __regatta_range_perhaps();
    REAL result = __regatta_unknown_real__X();
    if (x > 0 && !__builtin_isnan(y))
        __VERIFIER_assume(result >= 0);
    return result;
}

REAL hypot__X(REAL x, REAL y)
{
    REAL a = fabs__X(x);
    REAL b = fabs__X(y);
    if (trunc__X(a) == a && trunc__X(b) == b && a <= 2048 && b <= 2048) {
        REAL root = sqrt__X(a * a + b * b);
        if (root * root == a * a + b * b && trunc__X(root) == root)
            return root;
    }
    __regatta_range_perhaps();
    REAL result = __regatta_unknown_real__X();
    if (!__builtin_isnan(x) && !__builtin_isnan(y))
        __VERIFIER_assume(result >= 0);
    return result;
}

REAL exp__X(REAL x)
{
    if (x == 0)
        return 1;
    if (__builtin_isnan(x))
        return x;
    if (__builtin_isinf(x))
        return x > 0 ? x : 0;
    REAL most = sizeof(REAL) == 4 ? 104 : sizeof(REAL) == 8 ? 746 : 12000;
    /* Other rounding modes may give the largest finite or the smallest positive number. */
    if ((x > most || x < -most) && fegetround() == 0) {
        *__errno_location() = 34; /* ERANGE */
        return x > 0 ? __builtin_inf() : 0;
    }
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(x > 0 ? result >= 1 : result >= 0 && result <= 1);
    if ((x > 88 || x < -86) && __regatta_unknown_int()) {
        *__errno_location() = 34;
    }
    return result;
}

int __fpclassify__X(REAL x)
{
    return __builtin_fpclassify(0, 1, 4, 3, 2, x);
}

REAL sin__X(REAL x)
{
    if (x == 0)
        return x;
    if (__builtin_isinf(x))
        *__errno_location() = 33;
    if (!__builtin_isfinite(x))
        return x - x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(result >= -1 && result <= 1);
    return result;
}

REAL cos__X(REAL x)
{
    if (x == 0)
        return 1;
    if (__builtin_isinf(x))
        *__errno_location() = 33;
    if (!__builtin_isfinite(x))
        return x - x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(result >= -1 && result <= 1);
    return result;
}

REAL log__X(REAL x)
{
    if (x == 1)
        return 0;
    if (x == 0) {
        *__errno_location() = 34;
        return -__builtin_inf();
    }
    if (x < 0) {
        *__errno_location() = 33;
        return (x - x) / (x - x);
    }
    if (!__builtin_isfinite(x))
        return x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(x < 1 ? result < 0 : result > 0);
    return result;
}

REAL log2__X(REAL x)
{
    if (x == 1)
        return 0;
    if (x == 0) {
        *__errno_location() = 34;
        return -__builtin_inf();
    }
    if (x < 0) {
        *__errno_location() = 33;
        return (x - x) / (x - x);
    }
    if (!__builtin_isfinite(x))
        return x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(x < 1 ? result < 0 : result > 0);
    return result;
}

REAL log10__X(REAL x)
{
    if (x == 1)
        return 0;
    if (x == 0) {
        *__errno_location() = 34;
        return -__builtin_inf();
    }
    if (x < 0) {
        *__errno_location() = 33;
        return (x - x) / (x - x);
    }
    if (!__builtin_isfinite(x))
        return x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(x < 1 ? result < 0 : result > 0);
    return result;
}

REAL acos__X(REAL x)
{
    if (x < -1 || x > 1) {
        *__errno_location() = 33;
        return __builtin_nan("");
    }
    if (__builtin_isnan(x))
        return x;
    if (x == 1)
        return 0;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(result >= 0 && result <= 4);
    return result;
}

REAL asin__X(REAL x)
{
    if (x < -1 || x > 1) {
        *__errno_location() = 33;
        return __builtin_nan("");
    }
    if (__builtin_isnan(x))
        return x;
    if (x == 0)
        return x;
    REAL result = __regatta_unknown_real__X();
    __VERIFIER_assume(result >= -2 && result <= 2);
    return result;
}

/* Effects of exact functions on `errno`. */

static void __regatta_errno_next__X(REAL result)
{
    if (!__builtin_isnormal(result))
        *__errno_location() = 34; /* ERANGE */
}

void __regatta_errno_sqrt__X(REAL x)
{
    if (x < 0)
        *__errno_location() = 33;
}

void __regatta_errno_remainder__X(REAL x, REAL y)
{
    if ((__builtin_isinf(x) && !__builtin_isnan(y)) || (y == 0 && !__builtin_isnan(x)))
        *__errno_location() = 33;
}

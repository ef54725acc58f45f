/* <math.h> for each floating-point type: REAL is the type, __X the suffix of the names ("", f, l). */

REAL fmin__X(REAL x, REAL y)
{
    /* As x86's minsd: of two zeros the second. */
    if (__builtin_isnan(x))
        return y;
    if (__builtin_isnan(y))
        return x;
    return x < y ? x : y;
}

REAL fmax__X(REAL x, REAL y)
{
    if (__builtin_isnan(x))
        return y;
    if (__builtin_isnan(y))
        return x;
    return x > y ? x : y;
}

REAL fdim__X(REAL x, REAL y)
{
    return x <= y ? 0 : x - y;
}

long lround__X(REAL x)
{
    return (long)round__X(x);
}

long long llround__X(REAL x)
{
    return (long long)round__X(x);
}

long lrint__X(REAL x)
{
    return (long)rint__X(x);
}

long long llrint__X(REAL x)
{
    return (long long)rint__X(x);
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
    if (x == 0 || __builtin_isnan(x))
        return -2147483647 - 1;
    if (__builtin_isinf(x))
        return 2147483647;
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

REAL lgamma__X_r(REAL x, int *sign)
{
    *sign = __regatta_unknown_int();
    return lgamma__X(x);
}

int __fpclassify__X(REAL x)
{
    return __builtin_fpclassify(0, 1, 4, 3, 2, x);
}

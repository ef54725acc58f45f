/* Complex numbers for each floating-point type: REAL is the type, __X the suffix of the names ("", f, l). */

/* The compiler's multiplication (C11, annex G.5.1): recovers an infinity that became a pair of NaNs. */

REAL _Complex __regatta_complex_product__X(REAL a, REAL b, REAL c, REAL d)
{
    REAL ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    REAL x = ac - bd, y = ad + bc;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        int infinite = 0;
        if (__builtin_isinf(a) || __builtin_isinf(b)) {
            infinite = 1;
            a = copysign__X(__builtin_isinf(a) ? 1 : 0, a);
            b = copysign__X(__builtin_isinf(b) ? 1 : 0, b);
            c = __regatta_zero_of_nan__X(c);
            d = __regatta_zero_of_nan__X(d);
        }
        if (__builtin_isinf(c) || __builtin_isinf(d)) {
            infinite = 1;
            c = copysign__X(__builtin_isinf(c) ? 1 : 0, c);
            d = copysign__X(__builtin_isinf(d) ? 1 : 0, d);
            a = __regatta_zero_of_nan__X(a);
            b = __regatta_zero_of_nan__X(b);
        }
        if (!infinite && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {
            infinite = 1;
            a = __regatta_zero_of_nan__X(a);
            b = __regatta_zero_of_nan__X(b);
            c = __regatta_zero_of_nan__X(c);
            d = __regatta_zero_of_nan__X(d);
        }
        if (infinite) {
            REAL infinity = __builtin_huge_val();
            x = infinity * (a * c - b * d);
            y = infinity * (a * d + b * c);
        }
    }
    return __builtin_complex(x, y);
}

REAL __regatta_zero_of_nan__X(REAL x)
{
    return __builtin_isnan(x) ? copysign__X(0, x) : x;
}

REAL creal__X(REAL _Complex z)
{
    return __real__ z;
}

REAL cimag__X(REAL _Complex z)
{
    return __imag__ z;
}

REAL _Complex conj__X(REAL _Complex z)
{
    return ~z;
}

REAL cabs__X(REAL _Complex z)
{
    return hypot__X(__real__ z, __imag__ z);
}

REAL carg__X(REAL _Complex z)
{
    return atan2__X(__imag__ z, __real__ z);
}

REAL _Complex cproj__X(REAL _Complex z)
{
    if (__builtin_isinf(__real__ z) || __builtin_isinf(__imag__ z)) {
        REAL infinity = __builtin_huge_val();
        return __builtin_complex(infinity, copysign__X(0, __imag__ z));
    }
    return z;
}

/* The compiler's division. Its libraries scale the operands in several ways; their results agree if no operand is very
   large or small. The results of 32-bit code, which uses x87 registers, are not known. */

REAL _Complex __regatta_complex_division__X(REAL a, REAL b, REAL c, REAL d)
{
    REAL ratio, divisor, x, y;
    if (sizeof(void *) == 4 || !__regatta_is_moderate__X(a) || !__regatta_is_moderate__X(b) ||
    !__regatta_is_moderate__X(c) || !__regatta_is_moderate__X(d) || (c == 0 && d == 0))
        return __builtin_complex(__regatta_unknown_real__X(), __regatta_unknown_real__X());
    if (fabs__X(c) < fabs__X(d)) {
        ratio = c / d;
        divisor = c * ratio + d;
        x = (a * ratio + b) / divisor;
        y = (b * ratio - a) / divisor;
    } else {
        ratio = d / c;
        divisor = d * ratio + c;
        x = (b * ratio + a) / divisor;
        y = (b - a * ratio) / divisor;
    }
    if (sizeof(REAL) == 4) {
        /* Newer libraries compute in double. */
        double square = (double)c * c + (double)d * d;
        REAL other_x = ((double)a * c + (double)b * d) / square;
        REAL other_y = ((double)b * c - (double)a * d) / square;
        if (x != other_x)
            x = __regatta_unknown_real__X();
        if (y != other_y)
            y = __regatta_unknown_real__X();
    }
    return __builtin_complex(x, y);
}

int __regatta_is_moderate__X(REAL x)
{
    REAL size = fabs__X(x);
    return x == 0 || (size > 1e-9f && size < 1e9f);
}

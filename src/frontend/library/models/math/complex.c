/* Division of complex integers, as in gcc. */

long long _Complex __regatta_complex_quotient(long long a, long long b, long long c, long long d)
{
    long long ratio, square;
    long long _Complex result;
    if ((c < 0 ? -c : c) < (d < 0 ? -d : d)) {
        ratio = c / d;
        square = c * ratio + d;
        __real__ result = (a * ratio + b) / square;
        __imag__ result = (b * ratio - a) / square;
    } else {
        ratio = d / c;
        square = d * ratio + c;
        __real__ result = (b * ratio + a) / square;
        __imag__ result = (b - a * ratio) / square;
    }
    return result;
}

unsigned long long _Complex __regatta_unsigned_complex_quotient(unsigned long long a, unsigned long long b,
                                                                unsigned long long c, unsigned long long d)
{
    unsigned long long ratio, square;
    unsigned long long _Complex result;
    if (c < d) {
        ratio = c / d;
        square = c * ratio + d;
        __real__ result = (a * ratio + b) / square;
        __imag__ result = (b * ratio - a) / square;
    } else {
        ratio = d / c;
        square = d * ratio + c;
        __real__ result = (b * ratio + a) / square;
        __imag__ result = (b - a * ratio) / square;
    }
    return result;
}

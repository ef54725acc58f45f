/* strtod on numbers that it converts exactly, where they end, and range errors. */
#include "observe.h"
#include <errno.h>
#include <stdlib.h>

static void number(const char *s)
{
    union { double value; unsigned long long bits; } result;
    char *end;
    errno = 0;
    result.value = strtod(s, &end);
    OBSERVE(result.bits);
    OBSERVE((unsigned)(end - s));
    OBSERVE((unsigned)errno);
}

int main(void)
{
    number("1.5");
    number("  -0.1e1x");
    number("12345.678e-3");
    number("1e22");
    number(".5.");
    number("5.");
    number("e5");
    number("1e");
    number("1e+");
    number("-0");
    number("000000000000000000000000001");
    number("1e999");
    number("-1e999");
    number("1e-999");
    OBSERVE((unsigned)atoi("  +17 "));
    OBSERVE(strtof("0.1", 0) == 0.1f);
    OBSERVE(strtold("2.5", 0) == 2.5L);
    return 0;
}

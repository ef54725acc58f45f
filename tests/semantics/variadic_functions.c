/* Arguments behind the dots, after the default promotions. */
#include "observe.h"
#include <stdarg.h>

static int sum(int n, ...)
{
    va_list a;
    int s = 0;
    va_start(a, n);
    while (n-- > 0)
        s += va_arg(a, int);
    va_end(a);
    return s;
}

static double mixed(const char *types, ...)
{
    va_list a;
    double r = 0;
    va_start(a, types);
    for (; *types; types++)
        switch (*types) {
        case 'i': r += va_arg(a, int); break;
        case 'l': r += va_arg(a, long long); break;
        case 'd': r += va_arg(a, double); break;
        case 's': r += va_arg(a, char *)[0]; break;
        case 'u': r += va_arg(a, unsigned); break;
        case 'p': r += *va_arg(a, int *); break;
        }
    va_end(a);
    return r;
}

int main(void)
{
    char c = -3;
    short s = 1000;
    float f = 0.1f;
    int x = 50;
    OBSERVE(sum(0));
    OBSERVE(sum(3, 1, 2, 3));
    OBSERVE(sum(2, c, s));
    OBSERVE(sum(8, 1, 2, 3, 4, 5, 6, 7, 8));
    OBSERVE_DOUBLE(mixed("d", f));
    OBSERVE_DOUBLE(mixed("idl", 1, 0.5, 1ll << 40));
    OBSERVE_DOUBLE(mixed("sup", "a", -1, &x));
    OBSERVE_DOUBLE(mixed("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.5));
    return 0;
}

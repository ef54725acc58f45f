/* Complex numbers as objects: parts as lvalues, initialisers, conversions, parameters, variable arguments, integers. */
#include "observe.h"
#include <stdarg.h>

typedef _Complex float single __attribute__((mode(SC)));
static double _Complex initial = 1.0 + 2.0i, real_only = 3, from_int = {4};
static _Complex int whole = 3 - 4i;
static float _Complex list[2] = {1.0fi, 2.5f};
struct pair { char c; double _Complex z; _Complex char small; };

static void observe_complex(double _Complex z)
{
    OBSERVE_DOUBLE(__real__ z);
    OBSERVE_DOUBLE(__imag__ z);
}

static void observe_whole(_Complex long long z)
{
    OBSERVE(__real__ z);
    OBSERVE(__imag__ z);
}

static double _Complex sum(int count, ...)
{
    va_list list;
    double _Complex result = 0;
    va_start(list, count);
    while (count-- > 0)
        result += va_arg(list, double _Complex);
    va_end(list);
    return result;
}

static _Complex int swapped(_Complex int z)
{
    _Complex int result;
    __real__ result = __imag__ z;
    __imag__ result = __real__ z;
    return result;
}

int main(void)
{
    observe_complex(initial);
    observe_complex(real_only);
    observe_complex(from_int);
    observe_complex(list[0]);
    observe_complex(list[1]);
    double _Complex z = initial;
    __real__ z = 7;
    __imag__ z += 0.5;
    ++__real__ z;
    observe_complex(z);
    double *part = &__imag__ z;
    *part = -1;
    observe_complex(z);
    OBSERVE_DOUBLE(((double *)&z)[0]);
    double real = z;
    int cut = z + 0.75;
    OBSERVE_DOUBLE(real);
    OBSERVE(cut);
    OBSERVE((int)(3.9 + 2i));
    z = 5;
    observe_complex(z);
    single s = z;
    OBSERVE(sizeof s);
    observe_complex(s + (float)1.5);
    observe_complex(sum(2, 1.0 + 1.0i, 2.0 + 0.5i));
    struct pair p = {1, 2.0 - 1.0i, 3}, q = p;
    observe_complex(q.z);
    OBSERVE(sizeof p);
    OBSERVE(_Alignof(double _Complex) + 100 * __alignof__(double _Complex));
    observe_whole(swapped(whole));
    _Complex int a = 7 + 3i, b = 2 - 5i;
    observe_whole(a + b);
    observe_whole(a - b);
    observe_whole(a * b);
    observe_whole(a * 3);
    observe_whole(2 - a);
    observe_whole(~a);
    observe_whole(-a);
    observe_whole((100 + 50i) / a);
    observe_whole((100 - 50i) / b);
    observe_whole((100 - 50i) / 7);
    OBSERVE(a == b);
    OBSERVE(a == 7 + 3i);
    OBSERVE(__real__ 5 + __imag__ 5);
    _Complex unsigned char u = 200 + 100i;
    u += u;
    observe_whole(u);
    u *= 3;
    observe_whole(u);
    _Complex short h = 300 + 1i;
    observe_whole(h * h);
    observe_complex(a * 0.5);
    observe_complex(a + 0.25i);
    _Complex unsigned w = 4000000000u + 1i;
    observe_whole(w + 1u);
    a++;
    observe_whole(a--);
    observe_whole(a);
    OBSERVE(_Generic(a, _Complex int: 1, default: 2));
    OBSERVE(_Generic(1.0fi, float _Complex: 1, double _Complex: 2, default: 3));
    OBSERVE(_Generic(1i * 1.0f, float _Complex: 1, double _Complex: 2, default: 3));
    OBSERVE(sizeof(2i));
    _Bool truth = 0.5i;
    OBSERVE(truth);
    if (whole)
        OBSERVE(1);
    while (0i)
        OBSERVE(2);
    return 0;
}

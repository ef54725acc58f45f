/* Complex floats: operators, mixed operands, infinities and zeros (C11, annex G). */
#include "observe.h"
#include <complex.h>

static void observe_complex(double _Complex z)
{
    OBSERVE_DOUBLE(__real__ z);
    OBSERVE_DOUBLE(__imag__ z);
}

static double _Complex product(double _Complex a, double _Complex b)
{
    return a * b;
}

int main(void)
{
    double _Complex a = 1.5 + 2.25 * I, b = CMPLX(-0.1, 3.3), c;
    double r = 0.7, inf = 1e308 * 10, nan = inf - inf;
    observe_complex(a + b);
    observe_complex(a - b);
    observe_complex(a * b);
    observe_complex(-a);
    observe_complex(~a);
    observe_complex(a + r);
    observe_complex(r + a);
    observe_complex(a - r);
    observe_complex(r - a);
    observe_complex(a * r);
    observe_complex(r * a);
    observe_complex(a / r);
    observe_complex(a * 2);
    observe_complex(3 - a);
    observe_complex(0.0 - CMPLX(0.0, 0.0));
    observe_complex(r * CMPLX(inf, 0.0));
    observe_complex(product(CMPLX(inf, nan), CMPLX(1, 1)));
    observe_complex(product(CMPLX(inf, inf), CMPLX(0, 1)));
    observe_complex(product(CMPLX(1, 0), CMPLX(nan, inf)));
    observe_complex(product(CMPLX(1e200, 1e200), CMPLX(1e200, nan)));
    observe_complex(product(CMPLX(nan, nan), CMPLX(1, 1)));
    observe_complex(product(CMPLX(inf, 0), CMPLX(0, 0)));
    observe_complex((1 + 2 * I) * (3 + 4 * I));
    observe_complex((1 + 2 * I) / (1 + 1 * I));
    OBSERVE(a == b);
    OBSERVE(a != b);
    OBSERVE(a == 1.5 + 2.25 * I);
    OBSERVE(CMPLX(r, 0) == r);
    OBSERVE(CMPLX(nan, 0) == CMPLX(nan, 0));
    c = a;
    c += b;
    c *= 2;
    c -= r;
    c *= a;
    observe_complex(c);
    c /= 4;
    observe_complex(c++);
    observe_complex(c);
    observe_complex(--c);
    OBSERVE(c ? 1 : 2);
    OBSERVE(!c);
    OBSERVE(!(0.0 * I));
    OBSERVE(CMPLX(0, 1) && 1);
    OBSERVE((_Bool)CMPLX(0, 0.25));
    float _Complex f = 0.1f + 0.2f * I, g = 3.0f - 1.0fi;
    float _Complex h = f * g;
    OBSERVE_FLOAT(crealf(h));
    OBSERVE_FLOAT(cimagf(h));
    long double _Complex l = 1.25L + 0.5L * I;
    l = l * l + f;
    OBSERVE_LONG_DOUBLE(__real__ l);
    OBSERVE_LONG_DOUBLE(__imag__ l);
    observe_complex(f * a);
    observe_complex(r > 0.5 ? a : r);
    observe_complex(conj(a) + creal(b) + cimag(b));
    observe_complex(cproj(CMPLX(inf, -1)));
    OBSERVE(sizeof(f) + 100 * sizeof(a) + 10000 * sizeof(l));
    OBSERVE(sizeof(f * r) + 100 * sizeof(f * 1.0f) + 10000 * sizeof(2i));
    return 0;
}

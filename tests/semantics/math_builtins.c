/* The compiler's names of the same functions. */
#include "observe.h"

int main(void)
{
    double zero = 0, nan = __builtin_nan(""), inf = __builtin_inf();
    OBSERVE(nan != nan);
    OBSERVE(inf > 1e308);
    OBSERVE_DOUBLE(__builtin_fabs(-2.0));
    OBSERVE_DOUBLE(__builtin_huge_val());
    OBSERVE_FLOAT(__builtin_inff());
    OBSERVE_FLOAT(__builtin_fabsf(-2.5f));
    OBSERVE(!!__builtin_isnan(zero / zero));
    OBSERVE(!!__builtin_isinf(-inf));
    OBSERVE(!!__builtin_isfinite(zero));
    OBSERVE(!!__builtin_signbit(-zero));
    OBSERVE_DOUBLE(__builtin_copysign(1.0, -zero));
    OBSERVE_DOUBLE(__builtin_floor(-0.5));
    OBSERVE_DOUBLE(__builtin_sqrt(2.0));
    OBSERVE_DOUBLE(__builtin_fmax(nan, 1.0));
    OBSERVE(__builtin_isgreater(1.0, nan) + __builtin_isless(0.0, 1.0) * 10 + __builtin_isunordered(nan, nan) * 100);
    OBSERVE(__builtin_nanf("") == __builtin_nanf(""));
    OBSERVE(__builtin_abs(-5) + __builtin_labs(-6l) + __builtin_llabs(-7ll));
    return 0;
}

/* `_Alignof` is what the ABI guarantees, `__alignof__` what gcc prefers; atomic types are aligned to their size. */
#include <stddef.h>
#include "observe.h"

struct pair { int a, b; };
struct triple { char a, b, c; };
typedef _Atomic double atomic_double;
typedef long long aligned_long_long __attribute__((aligned(8)));
struct a { char c; _Atomic long long x; };
struct b { char c; atomic_double x; };
struct c { char c; _Atomic(long long) x[2]; };
struct d { char c; _Atomic struct pair x; };
struct e { char c; _Atomic struct triple x; };
struct f { char c; aligned_long_long x; };
struct g { char c; aligned_long_long x[2]; };
struct h { char c; double x; };
struct i { char c; long double x; };

#define OBSERVE(type) \
    observe_value(sizeof(struct type)); \
    observe_value(offsetof(struct type, x)); \
    observe_value(_Alignof(struct type))

int main(void)
{
    double local;
    double array[2];
    struct h record;
    OBSERVE(a);
    OBSERVE(b);
    OBSERVE(c);
    OBSERVE(d);
    OBSERVE(e);
    OBSERVE(f);
    OBSERVE(g);
    OBSERVE(h);
    OBSERVE(i);
    observe_value(_Alignof(double));
    observe_value(_Alignof(long long));
    observe_value(_Alignof(_Atomic double));
    observe_value(_Alignof(_Complex double));
    observe_value(__alignof__(double));
    observe_value(__alignof__(long long));
    observe_value(__alignof__(long double));
    observe_value(__alignof__(_Complex double));
    observe_value(__alignof__(double[3]));
    observe_value(__alignof__(struct h));
    observe_value(__alignof__(aligned_long_long));
    observe_value(__alignof__(local));
    observe_value(__alignof__ local);
    observe_value(__alignof__(array));
    observe_value(__alignof__(record.x));
    observe_value(__alignof__(_Bool));
    observe_value(__alignof__(void *));
    return 0;
}

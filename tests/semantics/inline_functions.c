/* inline in its forms, with static variables and recursion. */
#include "observe.h"

static inline int square(int x) { return x * x; }
static inline int count(void) { static int n; return ++n; }
extern inline __attribute__((gnu_inline)) int unused(int x) { return x; }
static __inline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static __attribute__((always_inline)) inline int twice(int (*f)(int), int x) { return f(f(x)); }
inline int external(int x) { return x - 1; }
extern int external(int x);
static __attribute__((noinline)) int plain(int x) { return x ^ 5; }

int main(void)
{
    int i = 3;
    OBSERVE(square(i++));
    OBSERVE(i);
    OBSERVE(count() + count());
    OBSERVE(count());
    OBSERVE(factorial(6));
    OBSERVE(twice(square, 3));
    OBSERVE(external(8));
    OBSERVE(plain(i));
    return 0;
}

/* _Generic picks by the type of the converted operand. */
#include "observe.h"

#define KIND(x) _Generic((x), char: 1, signed char: 2, unsigned char: 3, short: 4, int: 5, long: 6, \
    float: 7, double: 8, char *: 9, const char *: 10, int *: 11, void *: 12, int (*)(int): 13, \
    struct s: 14, _Bool: 15, default: 99)

struct s { int x; };
static int f(int x) { return x; }
static int on_int(int x) { return x + 1; }
static double on_double(double x) { return x / 2; }
#define CALL(x) _Generic((x), int: on_int, double: on_double)(x)

int main(void)
{
    char c = 0; signed char sc = 0; const short h = 0; struct s s = { 0 }; _Bool b = 0; int v[2]; const char *t = "";
    OBSERVE(KIND(c));
    OBSERVE(KIND(sc));
    OBSERVE(KIND((unsigned char)0));
    OBSERVE(KIND(h));
    OBSERVE(KIND('c'));
    OBSERVE(KIND(1L));
    OBSERVE(KIND(1.0f));
    OBSERVE(KIND(1.0));
    OBSERVE(KIND("text"));
    OBSERVE(KIND(t));
    OBSERVE(KIND(v));
    OBSERVE(KIND((void *)0));
    OBSERVE(KIND(f));
    OBSERVE(KIND(s));
    OBSERVE(KIND(b));
    OBSERVE(KIND(1u));
    OBSERVE(CALL(3));
    OBSERVE_DOUBLE(CALL(3.0));
    OBSERVE(KIND(c + c));
    return 0;
}

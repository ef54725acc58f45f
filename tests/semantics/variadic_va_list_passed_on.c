/* A va_list handed to another function, copied, and used through a pointer. */
#include "observe.h"
#include <stdarg.h>

struct p { int x, y; };

static int vsum(int n, va_list a) { int s = 0; while (n--) s = s * 10 + va_arg(a, int); return s; }
static int sum(int n, ...) { va_list a; int s; va_start(a, n); s = vsum(n, a); va_end(a); return s; }
static int twice(int n, ...)
{
    va_list a, b;
    int s;
    va_start(a, n);
    va_copy(b, a);
    s = vsum(n, a);
    s += vsum(n, b);
    va_end(b);
    va_end(a);
    return s;
}
static int take(va_list *a) { return va_arg(*a, int); }
static int by_pointer(int n, ...) { va_list a; int s = 0; va_start(a, n); while (n--) s = s * 2 + take(&a); va_end(a); return s; }
static int structs(int n, ...)
{
    va_list a;
    int s = 0;
    va_start(a, n);
    while (n--) {
        struct p p = va_arg(a, struct p);
        s += p.x * p.y;
    }
    va_end(a);
    return s;
}

int main(void)
{
    struct p p = { 3, 4 }, q = { 5, 6 };
    int (*f)(int, ...) = sum;
    OBSERVE(sum(3, 1, 2, 3));
    OBSERVE(twice(2, 7, 8));
    OBSERVE(by_pointer(4, 1, 0, 1, 1));
    OBSERVE(structs(2, p, q));
    OBSERVE(f(2, 4, 5));
    return 0;
}

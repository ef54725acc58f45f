/* Comparisons of vectors give -1 and 0 in signed integers as wide as the elements. */
#include "observe.h"

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4ui __attribute__((vector_size(16)));
typedef unsigned char v4uqi __attribute__((vector_size(4)));
typedef signed char v4qi __attribute__((vector_size(4)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef long long v2di __attribute__((vector_size(16)));

#define ALL(v) do { for (unsigned i = 0; i < sizeof(v) / sizeof (v)[0]; i++) OBSERVE((v)[i]); } while (0)

int main(void)
{
    v4si a = {1, -2, 3, 4}, b = {1, 2, -3, 5};
    ALL(a == b);
    ALL(a != b);
    ALL(a < b);
    ALL(a <= b);
    ALL(a > b);
    ALL(a >= b);
    ALL(a > 2);
    ALL(2 > a);
    v4ui u = {1, 0xffffffff, 3, 4}, w = {2, 1, 3, 0x80000000};
    ALL(u < w);
    ALL(u >= w);
    v4uqi c = {200, 100, 0, 255}, d = {100, 200, 0, 1};
    ALL(c > d);
    v4qi e = (c == d);
    ALL(e);
    OBSERVE(sizeof(c > d));
    float zero = 0;
    v4sf x = {1, zero / zero, -0.0f, 3}, y = {1, 1, 0.0f, 2};
    ALL(x == y);
    ALL(x != y);
    ALL(x < y);
    ALL(x >= y);
    v2df z = {1, 2}, t = {2, 1};
    v2di less = z < t;
    ALL(less);
    v4si mask = a > b;
    ALL((a & mask) | (b & ~mask));
    return 0;
}

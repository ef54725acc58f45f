/* Copies take nested structs and arrays along. */
#include "observe.h"

struct inner { short v[3]; double d; };
struct outer { char c; struct inner in[2]; struct { int *p; long n; } tail; };

int main(void)
{
    int target = 42;
    struct outer a = { 'c', { { { 1, 2, 3 }, 0.5 }, { { 4, 5, 6 }, -0.25 } }, { &target, -9 } }, b;
    b = a;
    b.in[0] = b.in[1];
    a.in[1].v[2] = 77;
    target++;
    OBSERVE(b.c);
    OBSERVE(b.in[0].v[0]);
    OBSERVE(b.in[0].v[2]);
    OBSERVE_DOUBLE(b.in[0].d);
    OBSERVE(b.in[1].v[2]);
    OBSERVE(*b.tail.p);
    OBSERVE(b.tail.n);
    OBSERVE(b.tail.p == &target);
    OBSERVE(a.in[0].v[1]);
    return 0;
}

/* Structs of function pointers as objects with methods. */
#include "observe.h"

struct shape { int a, b; int (*area)(const struct shape *); struct shape (*scaled)(struct shape, int); };

static int rectangle(const struct shape *s) { return s->a * s->b; }
static int triangle(const struct shape *s) { return s->a * s->b / 2; }
static struct shape scale(struct shape s, int k) { s.a *= k; s.b *= k; return s; }
static struct shape scale_first(struct shape s, int k) { s.a *= k; s.area = triangle; return s; }

int main(void)
{
    struct shape shapes[] = { { 3, 5, rectangle, scale }, { 3, 5, triangle, scale_first }, { 6, 7, rectangle, scale_first } };
    int i;
    for (i = 0; i < 3; i++) {
        struct shape *s = &shapes[i], t = s->scaled(*s, 2);
        OBSERVE(s->area(s));
        OBSERVE(t.area(&t));
        OBSERVE((*t.area)(s));
    }
    OBSERVE(shapes[0].scaled(shapes[0], 3).scaled(shapes[2], 2).a);
    return 0;
}

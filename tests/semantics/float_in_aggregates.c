/* Floats in arrays, structs and unions, passed and returned. */
#include "observe.h"

struct v { float x, y, z; };
struct m { char c; double d[2]; float f; };

static struct v cross(struct v a, struct v b)
{
    struct v r = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    return r;
}
static float dot(const struct v *a, const struct v *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
static double mean(const double *v, int n) { double s = 0; int i; for (i = 0; i < n; i++) s += v[i]; return s / n; }

int main(void)
{
    struct v a = { 1.5f, -2, 0.1f }, b = { .z = 3, .x = 0.3f }, c = cross(a, b);
    struct m m = { 'm', { 0.1, 0.2 }, 0.3f }, n = m;
    double values[] = { 1, 2.5, -7, 1e-3, 0.3 };
    OBSERVE_FLOAT(c.x);
    OBSERVE_FLOAT(c.y);
    OBSERVE_FLOAT(c.z);
    OBSERVE_FLOAT(dot(&a, &c));
    OBSERVE_DOUBLE(mean(values, 5));
    n.d[1] += n.f;
    OBSERVE_DOUBLE(n.d[1]);
    OBSERVE_DOUBLE(m.d[1]);
    OBSERVE_FLOAT(n.f / m.c);
    return 0;
}

/* GNU C: typeof of expressions and types. */
#include "observe.h"

#define MAX(a, b) ({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define SWAP(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)

static int f(char c) { return c; }

int main(void)
{
    int i = 3, v[4] = { 1, 2, 3, 4 };
    unsigned char c = 200;
    typeof(c) d = 300;
    typeof(c + 1) e = 300;
    typeof(v) w = { 5, 6 };
    typeof(&i) p = &i;
    typeof(*p) q = *p + 1;
    typeof(int *) r = v;
    typeof(f) *g = f;
    typeof(v[0]) *s = v + 2;
    __typeof(struct { int x; }) t = { 9 };
    double x = 1.5, y = 2.5;
    OBSERVE(d);
    OBSERVE(e);
    OBSERVE(sizeof w + w[3]);
    OBSERVE(*p + q);
    OBSERVE(r[1]);
    OBSERVE(g(300));
    OBSERVE(*s);
    OBSERVE(t.x);
    OBSERVE(MAX(i++, 2));
    OBSERVE(i);
    SWAP(x, y);
    OBSERVE_DOUBLE(x);
    SWAP(v[0], v[3]);
    OBSERVE(v[0] * 10 + v[3]);
    OBSERVE(sizeof(typeof(i)[3]));
    return 0;
}

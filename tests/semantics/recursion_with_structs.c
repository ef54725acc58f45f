/* Structs by value through recursive calls; statics and function pointers too. */
#include "observe.h"

struct range { int low, high; };
struct stats { int min, max; long long sum; };

static struct stats merge(struct stats a, struct stats b)
{
    struct stats r = { a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max, a.sum + b.sum };
    return r;
}
static struct stats gather(const int *v, struct range r)
{
    int middle = (r.low + r.high) / 2;
    if (r.low + 1 == r.high)
        return (struct stats){ v[r.low], v[r.low], v[r.low] };
    return merge(gather(v, (struct range){ r.low, middle }), gather(v, (struct range){ middle, r.high }));
}
static int calls;
static int iterate(int (*f)(int), int x, int n) { calls++; return n ? iterate(f, f(x), n - 1) : x; }
static int step(int x) { static int k; return x * 3 + k++; }

int main(void)
{
    int v[] = { 4, -7, 12, 0, 5, 33, -2 };
    struct stats s = gather(v, (struct range){ 0, 7 });
    OBSERVE(s.min);
    OBSERVE(s.max);
    OBSERVE(s.sum);
    OBSERVE(iterate(step, 1, 6));
    OBSERVE(iterate(step, 1, 2));
    OBSERVE(calls);
    return 0;
}

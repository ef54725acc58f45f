/* Callbacks with a context pointer. */
#include "observe.h"

struct total { long long sum; int count; };

static void each(const int *v, int n, void (*visit)(int, void *), void *context)
{
    int i;
    for (i = 0; i < n; i++)
        visit(v[i], context);
}
static void accumulate(int x, void *c) { struct total *t = c; t->sum += x; t->count++; }
static void maximum(int x, void *c) { int *m = c; if (x > *m) *m = x; }
static void record(int x, void *c) { (void)c; OBSERVE(x); }

static int fold(int (*f)(int, int), int start, const int *v, int n)
{
    return n == 0 ? start : fold(f, f(start, *v), v + 1, n - 1);
}
static int horner(int a, int d) { return a * 10 + d; }

int main(void)
{
    int v[] = { 3, 9, 4 }, max = -1;
    struct total t = { 0, 0 };
    each(v, 3, accumulate, &t);
    OBSERVE(t.sum);
    OBSERVE(t.count);
    each(v, 3, maximum, &max);
    OBSERVE(max);
    each(v, 2, record, 0);
    OBSERVE(fold(horner, 0, v, 3));
    return 0;
}

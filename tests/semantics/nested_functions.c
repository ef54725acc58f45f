/* GNU C: functions within functions see the objects around them. */
#include "observe.h"

static int apply(int (*function)(int), int value)
{
    return function(value);
}

static int counted(int depth)
{
    int own = depth * 10;
    int add(int value) { own += value; return own; }
    if (depth > 0)
        OBSERVE(counted(depth - 1));
    add(depth);
    return add(1);
}

static int last(void)
{
    __label__ found;
    int steps = 0;
    void search(int n)
    {
        steps++;
        if (n == 3)
            goto found;
        search(n + 1);
        steps = 100;
    }
    search(0);
    return -1;
found:
    return steps;
}

int main(void)
{
    int x = 1;
    auto int odd(int n);
    int even(int n) { x++; return n == 0 ? 1 : odd(n - 1); }
    int odd(int n) { x += 10; return n == 0 ? 0 : even(n - 1); }
    OBSERVE(even(5));
    OBSERVE(x);
    int outer(int y)
    {
        int z = 2;
        int inner(int w) { x += w; z += w; return x + y + z; }
        return inner(3) + inner(4);
    }
    OBSERVE(outer(10));
    OBSERVE(x);
    int scaled(int value) { return value * x; }
    OBSERVE(apply(scaled, 3));
    x = 2;
    OBSERVE(apply(scaled, 3));
    OBSERVE(counted(2));
    OBSERVE(last());
    {
        int x = 50;
        int get(void) { return x; }
        OBSERVE(get());
    }
    struct pair { short one; long long two; } pair = { 1, 2 };
    struct pair swapped(struct pair p) { pair.one = 7; return (struct pair){ (short)p.two, p.one }; }
    OBSERVE(swapped(pair).one);
    OBSERVE(pair.one);
    return 0;
}

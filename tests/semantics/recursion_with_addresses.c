/* Every level has its own locals, also those whose address is taken. */
#include "observe.h"

struct frame { struct frame *outer; int value; };

static int chain(struct frame *outer, int n)
{
    struct frame mine;
    mine.outer = outer;
    mine.value = n;
    if (n == 0) {
        int s = 0;
        struct frame *f;
        for (f = &mine; f; f = f->outer)
            s = s * 10 + f->value;
        return s;
    }
    return chain(&mine, n - 1);
}

static void count(int n, int *total)
{
    int mine = n;
    if (n > 0) {
        count(n - 1, &mine);
        count(n - 2, &mine);
    }
    *total += mine + 1;
}

static int swap_down(int *a, int *b, int n)
{
    int x = *b + n, y = *a - n;
    if (n)
        swap_down(&x, &y, n - 1);
    *a += x;
    *b -= y;
    return x * y;
}

int main(void)
{
    int total = 0, a = 3, b = 5;
    OBSERVE(chain(0, 5));
    count(5, &total);
    OBSERVE(total);
    OBSERVE(swap_down(&a, &b, 4));
    OBSERVE(a);
    OBSERVE(b);
    return 0;
}

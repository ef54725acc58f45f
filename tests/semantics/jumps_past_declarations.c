/* Jumps that pass declarations: what was written since the block was entered is kept. */
#include "observe.h"

static int kept(void)
{
    int phase = 0;
again:
    if (phase == 1) {
        phase = 2;
        goto skip;
    }
    int x = 5;
skip:
    if (phase == 0) {
        x = 6;
        phase = 1;
        goto again;
    }
    return x;
}

static int copy(int count, const int *from)
{
    int sum = 0;
    switch (count % 4) {
        int last;
    case 0:
        do {
            last = *from++;
            sum += last;
    case 3:
            last = *from++;
            sum += last;
    case 2:
            last = *from++;
            sum += last;
    case 1:
            last = *from++;
            sum += last;
        } while ((count -= 4) > 0);
    }
    return sum;
}

static int shared(int c)
{
    switch (c) {
    case 0:;
        int y = 3;
        return y;
    case 1:
        y = 4;
        return y;
    default:
        break;
    }
    return 0;
}

static int computed(int which)
{
    static void *targets[] = { &&one, &&two };
    goto *targets[which];
    {
        int y;
one:
        y = 1;
        if (y)
            return y;
two:
        y = 2;
        return y;
    }
}

int main(void)
{
    int numbers[7] = { 1, 2, 3, 4, 5, 6, 7 };
    observe_value(kept());
    for (int count = 1; count <= 7; count++)
        observe_value(copy(count, numbers));
    observe_value(shared(0));
    observe_value(shared(1));
    observe_value(computed(0));
    observe_value(computed(1));
    return 0;
}

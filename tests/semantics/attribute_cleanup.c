/* Cleanups run wherever a block is left, in the reverse order of the declarations. */
#include "observe.h"

static void note(int *p)
{
    observe_value(*p);
}

static int leave(int how)
{
    __attribute__((cleanup(note))) int outer = 1;
    for (int i = 0; i < 3; i++) {
        __attribute__((cleanup(note))) int inner = 10 + i;
        if (i == 1)
            continue;
        if (i == 2 && how == 1)
            break;
        if (i == 2 && how == 2)
            return outer++ + 5;
        if (i == 2 && how == 3)
            goto out;
        {
            __attribute__((cleanup(note))) int first = 20 + i;
            int second __attribute__((cleanup(note))) = 30;
        }
    }
out:;
    int result = ({ __attribute__((cleanup(note))) int x = 40; x + 1; });
    return outer + result;
}

static void restart(void)
{
    int k = 0;
again:;
    int value __attribute__((cleanup(note))) = ++k;
    if (k < 3)
        goto again;
    switch (k) {
    case 3: {
        int inside __attribute__((cleanup(note))) = 8;
        break;
    }
    default:;
    }
    observe_value(100);
}

int main(void)
{
    for (int how = 1; how <= 4; how++)
        observe_value(leave(how));
    restart();
    return 0;
}

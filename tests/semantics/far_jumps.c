/* C11 7.13: longjmp comes back to the call of setjmp in a function that is active. */
#include "observe.h"
#include <setjmp.h>

static jmp_buf outer, inner;
static int trace;

static void jump(int which, int value)
{
    trace++;
    if (which == 1)
        longjmp(outer, value);
    if (which == 2)
        longjmp(inner, value);
}

static int middle(int which)
{
    volatile int here = which;
    int code = setjmp(inner);
    if (code != 0)
        return 1000 + code + here;
    here = 5;
    jump(which, which * 3);
    return here;
}

static int whole(int which)
{
    volatile int result = -1;
    switch (setjmp(outer)) {
    case 0:
        result = middle(which);
        break;
    case 3:
        return result;
    default:
        return 99;
    }
    return result;
}

int main(void)
{
    OBSERVE(whole(0));
    OBSERVE(whole(1));
    OBSERVE(whole(2));
    OBSERVE(trace);
    volatile int rounds = 0;
    int code = setjmp(outer);
    OBSERVE(code);
    if (rounds++ < 3)
        jump(1, rounds == 2 ? 0 : rounds * 100);
    OBSERVE(rounds);
    for (int i = 0; i < 3; i++) {
        if (setjmp(inner) == 0)
            jump(i == 1 ? 2 : 0, 1);
        else
            trace += 50;
    }
    OBSERVE(trace);
    return 0;
}

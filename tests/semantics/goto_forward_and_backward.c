/* Loops and exits made of goto. */
#include "observe.h"

int main(void)
{
    int i = 0, sum = 0;
again:
    if (i >= 10)
        goto done;
    sum += i++;
    goto again;
done:
    OBSERVE(sum);
    OBSERVE(i);
    goto skip;
    sum = 0;
skip:
    OBSERVE(sum);
    i = 3;
outer:
    sum = 100;
inner:
    sum--;
    if (sum > 95)
        goto inner;
    OBSERVE(sum);
    if (--i)
        goto outer;
    OBSERVE(i);
    goto end;
end:;
    return 0;
}

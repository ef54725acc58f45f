/* GNU C: labels as values. */
#include "observe.h"

static int run(const char *code, int x)
{
    static void *const table[] = { &&add, &&twice, &&minus, &&stop };
#define NEXT goto *table[*code++ - '0']
    NEXT;
add:
    x += 3;
    NEXT;
twice:
    x *= 2;
    NEXT;
minus:
    x = -x;
    NEXT;
stop:
    return x;
}

int main(void)
{
    void *where = &&one;
    int n = 0;
    OBSERVE(run("3", 5));
    OBSERVE(run("0123", 5));
    OBSERVE(run("1111003", 1));
    OBSERVE(run("20203", 7));
    goto *where;
one:
    n++;
    where = n < 3 ? &&one : &&two;
    goto *where;
two:
    OBSERVE(n);
    OBSERVE(where == &&two);
    OBSERVE(&&one != &&two);
    return 0;
}

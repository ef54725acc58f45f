/* Globals seen by several functions through names and pointers. */
#include "observe.h"

static int total;
static int *const alias = &total;
static struct { int hits[3]; char flag; } state = { { 0, 10 } };
static void hit(int i) { state.hits[i]++; *alias += i; }
static void reset(int *p, int n) { while (n--) *p++ = -1; }

int main(void)
{
    int i;
    for (i = 0; i < 9; i++)
        hit(i % 3);
    OBSERVE(total);
    OBSERVE(state.hits[1]);
    total = 100;
    OBSERVE(*alias);
    state.flag = 'f';
    reset(state.hits, 3);
    OBSERVE(state.hits[2]);
    OBSERVE(state.flag);
    reset(alias, 1);
    OBSERVE(total);
    return 0;
}

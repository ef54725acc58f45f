/* Right-associative; only the chosen branch is evaluated. */
#include "observe.h"

static int calls;
static int count(int n) { calls++; return n; }

int main(void)
{
    int i, v[2] = { 0, 0 };
    for (i = 0; i < 4; i++)
        OBSERVE(i == 0 ? 10 : i == 1 ? 20 : i == 2 ? 30 : 40);
    OBSERVE(1 ? 0 ? 1 : 2 : 3);
    OBSERVE(1 ? count(5) : count(6));
    OBSERVE(calls);
    for (i = 0; i < 5; i++)
        *(i % 2 ? &v[0] : &v[1]) += i;
    OBSERVE(v[0]);
    OBSERVE(v[1]);
    OBSERVE((i > 3 ? count : 0)(9));
    OBSERVE(i ? i > 2 ? 1 : 2 : 3);
    i = i > 3 ? i = 8, i + 1 : 0;
    OBSERVE(i);
    return 0;
}

/* Addresses of locals handed down the calls. */
#include "observe.h"

static int *slot;
static void keep(int *p) { slot = p; }
static void use(void) { *slot += 5; }
static void outer(int *result) { int mine = 3; keep(&mine); use(); *result = mine; keep(result); }
static int *larger(int *a, int *b) { return *a > *b ? a : b; }

int main(void)
{
    int r = 0, x = 4, y = 9;
    outer(&r);
    OBSERVE(r);
    use();
    OBSERVE(r);
    *larger(&x, &y) = 1;
    OBSERVE(x);
    OBSERVE(y);
    ++*larger(&x, &y);
    OBSERVE(x);
    OBSERVE(larger(&x, &y) == &x);
    OBSERVE(slot == &r);
    return 0;
}

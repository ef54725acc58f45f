/* [index] = value; what follows goes on from there; the later one wins. */
#include "observe.h"

static int a[6] = { [2] = 20, 30, [0] = 1 };
static int b[] = { 1, [4] = 5, 6 };
static char c[10] = { ['\3'] = 'x', [1] = 'y' };
enum { RED, GREEN, BLUE };
static const char *names[] = { [BLUE] = "blue", [RED] = "red" };
static int overridden[3] = { 1, 2, 3, [1] = 50, [0] = 40 };

int main(void)
{
    int i, k = 7, local[5] = { [3] = k, k + 1, [1] = -k };
    for (i = 0; i < 5; i++)
        OBSERVE(a[i]);
    OBSERVE(sizeof b / sizeof *b);
    OBSERVE(b[4] * 10 + b[5]);
    OBSERVE(b[1]);
    OBSERVE(c[3]);
    OBSERVE(c[1] + c[2]);
    OBSERVE(names[2][0]);
    OBSERVE(names[1] == 0);
    OBSERVE(overridden[0] + overridden[1] + overridden[2]);
    for (i = 0; i < 5; i++)
        OBSERVE(local[i]);
    return 0;
}

/* GNU C: [first ... last] = value. */
#include "observe.h"

static int v[10] = { [0 ... 9] = -1, [3 ... 5] = 7, 8 };
static struct { int a, b; } s[4] = { [1 ... 2] = { 3, 4 } };
static char classes[128] = { ['0' ... '9'] = 1, ['a' ... 'z'] = 2 };
static int m[3][4] = { [0 ... 1] = { [2 ... 3] = 5 }, [2][0 ... 1] = 6 };
static int open[] = { [2 ... 6] = 1 };

int main(void)
{
    int i, k = 0, local[5] = { [1 ... 3] = 9 };
    for (i = 0; i < 10; i += 3)
        OBSERVE(v[i]);
    OBSERVE(v[6]);
    OBSERVE(s[1].b + s[2].a);
    OBSERVE(s[3].a);
    for (i = 0; i < 128; i++)
        k += classes[i];
    OBSERVE(k);
    OBSERVE(m[1][3]);
    OBSERVE(m[2][1] + m[2][2]);
    OBSERVE(sizeof open / sizeof *open);
    OBSERVE(open[1] + open[6]);
    OBSERVE(local[0] + local[1] + local[3] + local[4]);
    return 0;
}

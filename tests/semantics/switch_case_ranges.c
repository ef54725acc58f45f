/* GNU C: case low ... high. */
#include "observe.h"

static int classify(int c)
{
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f': case 'A' ... 'F': return 2;
    case -100 ... -1: return 3;
    case 1000 ... 0x7fffffff: return 4;
    case 500 ... 500: return 5;
    }
    return 0;
}

int main(void)
{
    int tests[] = { '0', '9', '/', ':', 'a', 'f', 'g', 'C', -1, -100, -101, 999, 1000, 0x7fffffff, 500, 0 };
    unsigned i;
    for (i = 0; i < sizeof tests / sizeof *tests; i++)
        OBSERVE(classify(tests[i]));
    return 0;
}

/* Dispatch through tables of function pointers. */
#include "observe.h"

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int divide(int a, int b) { return b ? a / b : 0; }
static int (*const table[])(int, int) = { add, sub, mul, divide };
static int (*changing[2])(int, int);

int main(void)
{
    unsigned i;
    int acc = 100;
    for (i = 0; i < sizeof table / sizeof *table; i++)
        OBSERVE(table[i](20, 6));
    for (i = 0; i < 8; i++) {
        changing[i & 1] = table[(i * 3) & 3];
        acc = changing[i & 1](acc, i + 2);
        OBSERVE(acc);
    }
    OBSERVE((*table[1])(table[2](3, 4), table[0](5, 6)));
    return 0;
}

/* Declarators read from the inside out. */
#include "observe.h"

static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*pair[2])(int) = { one, two };
static int (*(*pick(int i))(void))(int);
static int (*first(void))(int) { return one; }
static int (*second(void))(int) { return two; }
static int (*(*pick(int i))(void))(int) { return i ? second : first; }
static int (*rows(void))[3] { static int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; return m; }
static int (*(*const table[])(void))(int) = { first, second };

int main(void)
{
    int (*(*p)[2])(int) = &pair;
    int a[2][3] = { { 7, 8, 9 } }, (*r)[3] = a, *(*q[2])[3];
    int *pointers[3] = { &a[0][0], &a[0][1], &a[0][2] };
    int (*(*f)(int))(int) = 0;
    char *(*(x[3]))(void) = { 0 };
    OBSERVE((*p)[1](10));
    OBSERVE(pick(0)()(20));
    OBSERVE(pick(1)()(20));
    OBSERVE(rows()[1][2]);
    OBSERVE((*rows())[1]);
    OBSERVE(table[1]()(30));
    OBSERVE((*r)[2]);
    q[1] = &pointers;
    OBSERVE(*(*q[1])[2]);
    OBSERVE(sizeof x / sizeof *x);
    OBSERVE(f == 0);
    OBSERVE(sizeof *r);
    return 0;
}

/* int *a[3] and int (*p)[3] are different things. */
#include "observe.h"

int main(void)
{
    int x = 1, y = 2, z = 3;
    int *a[3] = { &x, &y, &z };
    int v[2][3] = { { 4, 5, 6 }, { 7, 8, 9 } };
    int (*p)[3] = &v[1];
    int **q = a;
    int (*all)[2][3] = &v;
    int *(*pa)[3] = &a;
    *a[1] = 20;
    OBSERVE(y);
    OBSERVE(**(q + 2));
    OBSERVE(*q[0]);
    OBSERVE((*p)[2]);
    OBSERVE(p[-1][0]);
    OBSERVE((*all)[1][1]);
    OBSERVE(*(*pa)[1]);
    OBSERVE(sizeof a / sizeof *a);
    OBSERVE(sizeof *p / sizeof **p);
    q[2] = *p;
    OBSERVE(a[2][1]);
    *(*p + 2) = 90;
    OBSERVE(v[1][2]);
    return 0;
}

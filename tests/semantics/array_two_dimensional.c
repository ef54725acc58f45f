/* Rows follow one another; a row is an array itself. */
#include "observe.h"

static int trace(int m[3][3]) { return m[0][0] + m[1][1] + m[2][2]; }
static int row_sum(const int row[], int n) { int s = 0, i; for (i = 0; i < n; i++) s += row[i]; return s; }

int main(void)
{
    int m[3][3], i, j, (*p)[3] = m;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            m[i][j] = 10 * i + j;
    OBSERVE(trace(m));
    OBSERVE(row_sum(m[1], 3));
    OBSERVE(row_sum(*(m + 2), 2));
    OBSERVE(*(*(m + 1) + 2));
    OBSERVE(p[2][1]);
    OBSERVE((*p)[2]);
    p++;
    OBSERVE((*p)[0]);
    OBSERVE(sizeof m);
    OBSERVE(sizeof m[0]);
    OBSERVE(sizeof *p);
    OBSERVE(m[2] - m[0]);
    OBSERVE(&m[2] - &m[0]);
    OBSERVE(((int *)m)[5]);
    return 0;
}

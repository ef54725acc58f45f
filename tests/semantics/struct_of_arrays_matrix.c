/* Matrix multiplication on structs that hold arrays. */
#include "observe.h"

struct matrix { int n; int v[3][3]; };

static struct matrix multiply(const struct matrix *a, const struct matrix *b)
{
    struct matrix r = { a->n };
    int i, j, k;
    for (i = 0; i < a->n; i++)
        for (j = 0; j < a->n; j++)
            for (k = 0; k < a->n; k++)
                r.v[i][j] += a->v[i][k] * b->v[k][j];
    return r;
}

int main(void)
{
    struct matrix m = { 3, { { 1, 2, 0 }, { 0, -1, 3 }, { 4, 0, 1 } } }, p = m;
    int i, j;
    for (i = 0; i < 4; i++)
        p = multiply(&p, &m);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            OBSERVE(p.v[i][j]);
    OBSERVE(multiply(&m, &m).v[1][2]);
    return 0;
}

/* Rows of computed length. */
#include "observe.h"

static int trace(int n, int m[n][n]) { int i, s = 0; for (i = 0; i < n; i++) s += m[i][i]; return s; }
static void transpose(int rows, int columns, int to[columns][rows], int from[rows][columns])
{
    int i, j;
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++)
            to[j][i] = from[i][j];
}

int main(void)
{
    int r = 2, c = 3, i, j;
    int a[r][c], b[c][r], square[r + 1][r + 1], (*row)[c] = a;
    for (i = 0; i < r; i++)
        for (j = 0; j < c; j++)
            a[i][j] = 10 * i + j;
    transpose(r, c, b, a);
    OBSERVE(b[2][1]);
    OBSERVE(b[0][1]);
    OBSERVE((*(row + 1))[2]);
    OBSERVE(&a[1] - &a[0]);
    OBSERVE((char *)&a[1] - (char *)&a[0]);
    for (i = 0; i <= r; i++)
        for (j = 0; j <= r; j++)
            square[i][j] = i * j + 1;
    OBSERVE(trace(r + 1, square));
    OBSERVE(trace(3, square));
    OBSERVE(sizeof square);
    OBSERVE(sizeof b[0]);
    OBSERVE(*(*(b + 1) + 1));
    return 0;
}

/* Quicksort, permutations and the queens. */
#include "observe.h"

static void quicksort(int *v, int low, int high)
{
    int i = low, j = high, pivot = v[(low + high) / 2];
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    if (low < j) quicksort(v, low, j);
    if (i < high) quicksort(v, i, high);
}

static int columns[6];
static int queens(int row)
{
    int c, r, n = 0;
    if (row == 6)
        return 1;
    for (c = 0; c < 6; c++) {
        for (r = 0; r < row; r++)
            if (columns[r] == c || columns[r] - c == row - r || c - columns[r] == row - r)
                break;
        if (r == row) {
            columns[row] = c;
            n += queens(row + 1);
        }
    }
    return n;
}

static int sum_local(int n) { int v[4] = { n, n + 1 }, i, s = 0; if (n > 0) s = sum_local(n - 1); for (i = 0; i < 4; i++) s += v[i]; return s; }

int main(void)
{
    int v[] = { 9, -3, 7, 7, 0, 22, -15, 4 }, i;
    quicksort(v, 0, 7);
    for (i = 0; i < 8; i++)
        OBSERVE(v[i]);
    OBSERVE(queens(0));
    OBSERVE(sum_local(5));
    return 0;
}

/* Bubble sort, insertion sort and binary search on arrays. */
#include "observe.h"

static void insertion(short *v, unsigned n)
{
    unsigned i, j;
    for (i = 1; i < n; i++) {
        short x = v[i];
        for (j = i; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static int search(const short *v, int n, int x)
{
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (v[middle] == x)
            return middle;
        if (v[middle] < x)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int main(void)
{
    short v[12];
    int i, seed = 7;
    for (i = 0; i < 12; i++) {
        seed = (seed * 77 + 31) % 1009;
        v[i] = seed - 500;
    }
    insertion(v, 12);
    for (i = 0; i < 12; i++)
        OBSERVE(v[i]);
    OBSERVE(search(v, 12, v[7]));
    OBSERVE(search(v, 12, 499));
    return 0;
}

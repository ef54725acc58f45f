/* Leaving several loops and blocks at once. */
#include "observe.h"

static int find(int m[3][3], int x)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            int here = m[i][j];
            if (here == x)
                goto found;
        }
    return -1;
found:
    return i * 10 + j;
}

int main(void)
{
    int m[3][3] = { { 5, 2, 7 }, { 4, 9, 1 }, { 8, 3, 6 } }, i, n = 0;
    for (i = 1; i < 10; i += 2)
        OBSERVE(find(m, i));
    OBSERVE(find(m, 10));
    for (i = 0;; i++) {
        do {
            switch (i) {
            case 4: goto out;
            default: n++;
            }
            if (n % 2)
                goto next;
        } while (0);
        n += 10;
next:;
    }
out:
    OBSERVE(n);
    OBSERVE(i);
    return 0;
}

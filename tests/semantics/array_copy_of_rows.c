/* Rows copied with memcpy and by elements; overlapping with memmove. */
#include "observe.h"
#include <string.h>

int main(void)
{
    unsigned short m[4][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } };
    int i, j;
    memcpy(m[0], m[2], sizeof m[0]);
    memmove(m[1], m[0], 3 * sizeof m[0]);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++)
            OBSERVE(m[i][j]);
    memset(m + 3, 0xff, sizeof m[3]);
    OBSERVE(m[3][2]);
    OBSERVE(memcmp(m[1], m[0], sizeof m[0]) == 0);
    return 0;
}

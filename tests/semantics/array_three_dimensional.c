/* Three dimensions, addressed in several ways. */
#include "observe.h"

static char cube[2][3][4];
static short matrix[2][2][2] = { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } };

int main(void)
{
    int i, j, k;
    char *flat = &cube[0][0][0];
    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++)
                cube[i][j][k] = i * 60 + j * 10 + k;
    OBSERVE(cube[1][2][3]);
    OBSERVE(flat[1 * 12 + 2 * 4 + 3]);
    OBSERVE(*cube[1][1]);
    OBSERVE(**cube[1]);
    OBSERVE(*(*(*(cube + 1) + 2) + 1));
    OBSERVE(sizeof cube[0]);
    OBSERVE(sizeof cube[0][0]);
    OBSERVE(&cube[1] - &cube[0]);
    OBSERVE((char *)cube[1][2] - flat);
    OBSERVE(matrix[1][0][1] * 100 + matrix[0][1][0]);
    OBSERVE((*matrix[1])[1]);
    return 0;
}

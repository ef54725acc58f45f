#include <stdlib.h>

int main(void)
{
    int *p = malloc(8);
    int *q = malloc(8);
    free(q);
    p[1] = 3;
    free(p);
    return p[1];
}

#include <stdlib.h>

/* The program itself releases nothing. */
int main(void)
{
    int *a = malloc(sizeof *a);
    a = realloc(a, 2 * sizeof *a);
    return 0;
}

#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

/* What was there is there still; a violation behind it is one. */
int main(void)
{
    int *a = malloc(2 * sizeof *a);
    a[0] = 3;
    a[1] = 5;
    a = realloc(a, 4 * sizeof *a);
    a[2] = __VERIFIER_nondet_int();
    a = realloc(a, 3 * sizeof *a);
    assert(a[0] != 3 || a[1] != 5 || a[2] != 7);
    free(a);
    return 0;
}

/* Null pointers in conditions, comparisons and as constants. */
#include "observe.h"
#include <stddef.h>

static int *find(int *v, int n, int x) { for (; n > 0; n--, v++) if (*v == x) return v; return NULL; }

int main(void)
{
    int v[3] = { 5, 6, 7 }, *p = 0, *q = v;
    void *n = NULL;
    char *(*f)(void) = 0;
    static int *zero;
    OBSERVE(p == NULL);
    OBSERVE(!q);
    OBSERVE(p ? 1 : 2);
    OBSERVE(q && *q == 5);
    OBSERVE(p && *p == 5);
    OBSERVE(n == p);
    OBSERVE(f == 0);
    OBSERVE(zero == (void *)0);
    OBSERVE(find(v, 3, 6) - v);
    OBSERVE(find(v, 3, 8) == NULL);
    OBSERVE(sizeof NULL == sizeof(void *));
    OBSERVE((size_t)(int *)0);
    OBSERVE(!p + !q);
    return 0;
}

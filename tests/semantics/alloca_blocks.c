/* Memory of alloca lives until its function returns. */
#include "observe.h"
#include <alloca.h>
#include <string.h>

static int chain(int n)
{
    struct node { struct node *next; int v; } *list = 0, *p;
    int i, s = 0;
    for (i = 1; i <= n; i++) {
        p = alloca(sizeof *p);
        p->next = list;
        p->v = i;
        list = p;
    }
    for (p = list; p; p = p->next)
        s = s * 3 + p->v;
    return s;
}

int main(void)
{
    char *a = alloca(10), *b = __builtin_alloca(4);
    int *v = alloca(5 * sizeof *v), i;
    strcpy(a, "alloca");
    memset(b, 'b', 4);
    for (i = 0; i < 5; i++)
        v[i] = i + a[i];
    OBSERVE(chain(5));
    OBSERVE(chain(1));
    OBSERVE(a[5]);
    OBSERVE(b[3]);
    OBSERVE(v[4]);
    OBSERVE(a != b && (char *)v != a);
    return 0;
}

/* Objects on the heap are distinct, aligned and keep their contents. */
#include "observe.h"
#include <stdint.h>
#include <stdlib.h>

struct tree { int key; struct tree *left, *right; };

static struct tree *insert(struct tree *t, int key)
{
    if (!t) {
        t = malloc(sizeof *t);
        t->key = key;
        t->left = t->right = NULL;
    } else if (key < t->key)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    return t;
}
static void walk(const struct tree *t) { if (t) { walk(t->left); OBSERVE(t->key); walk(t->right); } }
static int destroy(struct tree *t) { int n; if (!t) return 0; n = destroy(t->left) + destroy(t->right) + 1; free(t); return n; }

int main(void)
{
    int keys[] = { 5, 2, 8, 1, 9, 3 }, i;
    struct tree *t = NULL;
    double *d = malloc(3 * sizeof *d);
    char *c = malloc(1);
    for (i = 0; i < 6; i++)
        t = insert(t, keys[i]);
    walk(t);
    OBSERVE(destroy(t));
    d[2] = 1.25;
    *c = 'h';
    OBSERVE_DOUBLE(d[2]);
    OBSERVE(*c);
    OBSERVE((void *)d != (void *)c);
    OBSERVE((uintptr_t)d % sizeof(void *));
    free(d);
    free(c);
    free(NULL);
    return 0;
}

/* calloc clears; realloc keeps the contents up to the smaller size. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *v = calloc(6, sizeof *v), *w, i, n = 0;
    char *text = NULL;
    struct { int a; void *p; double d; } *s = calloc(1, sizeof *s);
    for (i = 0; i < 6; i++)
        n += v[i];
    OBSERVE(n);
    for (i = 0; i < 6; i++)
        v[i] = i * 7;
    w = realloc(v, 100 * sizeof *w);
    OBSERVE(w[0] + w[5]);
    w[99] = 3;
    w = realloc(w, 3 * sizeof *w);
    OBSERVE(w[2]);
    for (i = 0; i < 5; i++) {
        text = realloc(text, i + 1);
        text[i] = 'a' + i;
    }
    OBSERVE(text[0]);
    OBSERVE(text[4]);
    OBSERVE(s->a);
    OBSERVE(s->p == NULL);
    OBSERVE_DOUBLE(s->d);
    free(w);
    free(text);
    free(s);
    return 0;
}

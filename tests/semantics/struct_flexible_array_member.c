/* The last member's array takes what was allocated behind the struct. */
#include "observe.h"
#include <stddef.h>
#include <stdlib.h>

struct packet { unsigned char length; short data[]; };
struct old { int n; char tail[0]; };

int main(void)
{
    struct packet *p = malloc(sizeof *p + 5 * sizeof(short));
    struct old *o = malloc(sizeof *o + 3);
    int i, sum = 0;
    p->length = 5;
    for (i = 0; i < p->length; i++)
        p->data[i] = 100 * i - 1;
    for (i = 0; i < p->length; i++)
        sum += p->data[i];
    OBSERVE(sum);
    OBSERVE(p->length);
    OBSERVE(sizeof(struct packet));
    OBSERVE(offsetof(struct packet, data));
    o->n = 3;
    o->tail[2] = 'x';
    OBSERVE(sizeof *o);
    OBSERVE(o->tail[2]);
    OBSERVE((char *)&p->data[2] - (char *)p);
    free(p);
    free(o);
    return 0;
}

/* Writing one field leaves the others alone, through pointers and arrays too. */
#include "observe.h"

struct s { unsigned a : 11, b : 1, c : 13, d : 7; };
static struct s table[3];

static unsigned sum(const struct s *s) { return s->a + s->b * 10000 + s->c * 20000 + s->d * 7; }

int main(void)
{
    int i;
    for (i = 0; i < 3; i++) {
        table[i].a = 100 * i + 1;
        table[i].b = i;
        table[i].c = 5000 + i;
        table[i].d = 127 - i;
    }
    for (i = 0; i < 3; i++)
        OBSERVE(sum(&table[i]));
    for (i = 0; i < 3; i++) {
        struct s *p = table + i;
        p->b = !p->b;
        p->d = 0;
    }
    for (i = 0; i < 3; i++)
        OBSERVE(sum(&table[i]));
    return 0;
}

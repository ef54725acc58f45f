/* Address constants: objects, elements, members, strings and functions. */
#include "observe.h"

static int v[5] = { 1, 2, 3, 4, 5 };
static int *third = &v[2], *last = v + 4, **indirect = &third;
static struct s { int a, b; } s = { 10, 20 };
static int *member = &s.b;
static const char *words[] = { "zero", "one", "two" };
static const char *tail = "string" + 3;
static int twice(int x) { return 2 * x; }
static int (*f)(int) = twice, (*g)(int) = &twice;
static char *bytes = (char *)v;
static int *before = &v[4] - 3;
static struct node { struct node *next; int n; } nodes[2] = { { &nodes[1], 1 }, { nodes, 2 } };

int main(void)
{
    OBSERVE(*third);
    OBSERVE(*last);
    OBSERVE(**indirect);
    OBSERVE(*member);
    OBSERVE(words[2][1]);
    OBSERVE(tail[0]);
    OBSERVE(f(4) + g(5));
    OBSERVE(bytes[4]);
    OBSERVE(*before);
    OBSERVE(nodes[0].next->n);
    OBSERVE(nodes[0].next->next == nodes);
    return 0;
}

/* Structs that point to their own kind. */
#include "observe.h"

struct node { int value; struct node *next; };

static struct node *reverse(struct node *list)
{
    struct node *result = 0;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

int main(void)
{
    struct node nodes[5], *p, ring;
    int i;
    for (i = 0; i < 5; i++) {
        nodes[i].value = i * i;
        nodes[i].next = i < 4 ? &nodes[i + 1] : 0;
    }
    for (p = reverse(nodes); p; p = p->next)
        OBSERVE(p->value);
    OBSERVE(nodes[4].next->next->value);
    OBSERVE(nodes[0].next == 0);
    ring.value = 8;
    ring.next = &ring;
    OBSERVE(ring.next->next->next->value);
    return 0;
}

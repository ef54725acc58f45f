/* Arrays of structs, elements copied and swapped. */
#include "observe.h"

struct item { int key; char label; };

int main(void)
{
    struct item items[] = { { 30, 'c' }, { 10, 'a' }, { 40, 'd' }, { 20, 'b' } };
    int n = sizeof items / sizeof items[0], i, j;
    struct item *p;
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (items[j].key < items[i].key) {
                struct item t = items[i];
                items[i] = items[j];
                items[j] = t;
            }
    for (p = items; p < items + n; p++) {
        OBSERVE(p->key);
        OBSERVE(p->label);
    }
    OBSERVE(n);
    OBSERVE((&items[2])->key - (*items).key);
    OBSERVE((items + 1)[2].label);
    return 0;
}

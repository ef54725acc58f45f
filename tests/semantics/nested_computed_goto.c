/* GNU C: addresses of labels in functions within functions. */
#include "observe.h"

static int through_two(void)
{
    __label__ out;
    int depth = 0;
    void outer(int n)
    {
        void inner(int m)
        {
            depth++;
            if (m == 0)
                goto out;
            outer(m - 1);
        }
        inner(n);
        depth += 100;
    }
    outer(3);
out:
    return depth;
}

int main(void)
{
    __label__ out, again, unused;
    int turns = 0;
    void *where;

    int own(int k)
    {
        static void *const table[] = { &&first, &&second };
        goto *table[k];
    first:
        return 10;
    second:
        return 20;
    }
    int with_block_labels(int k)
    {
        __label__ here, there;
        void *target = k ? &&here : &&there;
        goto *target;
    here:
        return 1;
    there:
        return 2;
    }
    void *label_outside(void) { return &&again; }
    void leave(void) { turns += 100; goto out; }
    int none(void) { return &&unused == &&out; }

    OBSERVE(through_two());
    OBSERVE(own(0));
    OBSERVE(own(1));
    OBSERVE(with_block_labels(0));
    OBSERVE(with_block_labels(1));
    OBSERVE(none());
    where = label_outside();
    OBSERVE(where == &&again);
    goto *where;
unused:
    OBSERVE(99);
again:
    turns++;
    if (turns < 3)
        goto *where;
    leave();
    OBSERVE(98);
out:
    OBSERVE(turns);
    return 0;
}

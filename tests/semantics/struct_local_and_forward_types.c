/* Tags have block scope; a forward declaration is completed later. */
#include "observe.h"

struct later;
static struct later *keep;
struct later { int v; };

static int inner(void)
{
    struct later { char c[7]; } s = { "shadow" };
    return sizeof s + s.c[0];
}

int main(void)
{
    struct later l = { 11 };
    keep = &l;
    OBSERVE(keep->v);
    OBSERVE(inner());
    {
        struct later { double d[2]; };
        OBSERVE(sizeof(struct later));
        {
            struct later;
            struct later { char c; };
            OBSERVE(sizeof(struct later));
        }
        OBSERVE(sizeof(struct later));
    }
    OBSERVE(sizeof(struct later));
    return 0;
}

/* sizeof of such an array is computed; its size is fixed at the declaration. */
#include "observe.h"

static int calls;
static int size(void) { return ++calls; }

int main(void)
{
    int n = 5;
    int v[n], w[n][3], (*p)[n] = &v;
    typedef char text[n + 1];
    n = 100;
    text t;
    OBSERVE(sizeof v);
    OBSERVE(sizeof w);
    OBSERVE(sizeof w[0]);
    OBSERVE(sizeof *p);
    OBSERVE(sizeof t);
    OBSERVE(sizeof(text));
    OBSERVE(sizeof(int[n]));
    OBSERVE(sizeof v / sizeof *v);
    OBSERVE(sizeof(char[size()]));
    OBSERVE(calls);
    {
        char a[size() + 1], b[size() * 2];
        OBSERVE(sizeof a);
        OBSERVE(sizeof b);
    }
    OBSERVE(calls);
    return 0;
}

/* Copying byte by byte, pointers in structs included. */
#include "observe.h"

struct s { int a; int *p; double d; char c; };

static void copy(void *to, const void *from, unsigned long n)
{
    char *t = to;
    const char *f = from;
    while (n--)
        *t++ = *f++;
}

int main(void)
{
    int x = 7;
    struct s a = { 1, &x, 0.1, 'q' }, b;
    int from[3] = { 10, 20, 30 }, to[3] = { 0 };
    copy(&b, &a, sizeof a);
    OBSERVE(b.a);
    OBSERVE(*b.p);
    *b.p = 8;
    OBSERVE(x);
    OBSERVE_DOUBLE(b.d);
    OBSERVE(b.c);
    copy(to + 1, from, 2 * sizeof *from);
    OBSERVE(to[0]);
    OBSERVE(to[1]);
    OBSERVE(to[2]);
    copy((char *)to + 2, from + 2, 2);
    OBSERVE(to[0]);
    return 0;
}

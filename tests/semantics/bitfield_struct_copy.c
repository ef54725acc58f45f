/* Structs with fields are copied, passed and returned whole. */
#include "observe.h"

struct s { unsigned a : 7; int b : 6; unsigned c : 19; };

static struct s swap(struct s s)
{
    unsigned a = s.a;
    s.a = s.b;
    s.b = a;
    return s;
}

int main(void)
{
    struct s s = { 100, -20, 333333 }, t, array[3];
    t = swap(s);
    OBSERVE(s.a);
    OBSERVE(s.b);
    OBSERVE(t.a);
    OBSERVE(t.b);
    OBSERVE(t.c);
    array[0] = array[1] = array[2] = t;
    array[1].c++;
    OBSERVE(array[0].c);
    OBSERVE(array[1].c);
    OBSERVE(swap(array[2]).a);
    return 0;
}

/* a = b = c copies from right to left; the value is not an lvalue. */
#include "observe.h"

struct s { int v; unsigned char c; };

int main(void)
{
    struct s a = { 1, 1 }, b = { 2, 2 }, c = { 300, 44 }, array[4] = { { 0 } };
    int i;
    a = b = c;
    OBSERVE(a.v + b.v);
    OBSERVE(a.c);
    array[0] = array[1] = array[3] = a;
    array[2] = (struct s){ 7 };
    for (i = 0; i < 4; i++)
        OBSERVE(array[i].v + array[i].c);
    OBSERVE((b = array[2]).v);
    OBSERVE(b.c);
    return 0;
}

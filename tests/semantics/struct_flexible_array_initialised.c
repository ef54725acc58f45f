/* A static object may initialise its flexible array member. */
#include "observe.h"

struct text { int length; char data[]; };
static struct text hello = { 5, "hello" };
static struct { int n; int values[]; } numbers = { 3, { 10, 20, 30 } };

int main(void)
{
    struct text *p = &hello;
    int i;
    for (i = 0; i <= p->length; i++)
        OBSERVE(p->data[i]);
    for (i = 0; i < numbers.n; i++)
        OBSERVE(numbers.values[i]);
    OBSERVE(sizeof hello);
    return 0;
}

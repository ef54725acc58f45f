/* The left operand's side effects happen once. */
#include "observe.h"

static int calls;
static int v[4] = { 1, 2, 3, 4 };
static int *element(int i) { calls++; return &v[i]; }
struct s { int a; struct s *next; };

int main(void)
{
    int i = 0, *p = v;
    struct s two = { 5, 0 }, one = { 6, &two }, *q = &one;
    v[i++] += 10;
    OBSERVE(i);
    OBSERVE(v[0]);
    *element(1) *= 7;
    OBSERVE(calls);
    OBSERVE(v[1]);
    *p++ -= 1;
    OBSERVE(p - v);
    OBSERVE(v[0]);
    v[element(2) - v]++;
    OBSERVE(v[2]);
    (q = q->next)->a += 100;
    OBSERVE(two.a);
    OBSERVE(one.a);
    *(calls += 10, element(3)) <<= 3;
    OBSERVE(v[3]);
    OBSERVE(calls);
    return 0;
}

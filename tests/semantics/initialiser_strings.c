/* Character arrays take strings, with or without room for the null byte. */
#include "observe.h"

static char a[] = "hello", b[3] = "abc", c[8] = "xy", d[] = { "braces" };
static char list[][4] = { "one", "two", "six", { 'a', 'b' } };
static const char *pointers[] = { "a", "bc", 0 };
static unsigned char u[] = "\xff\x80";
static struct { char name[6]; int n; } people[] = { { "ann", 1 }, { "bob", 2 } };

int main(void)
{
    char local[] = "local", fill[10] = "12";
    OBSERVE(sizeof a);
    OBSERVE(b[2]);
    OBSERVE(sizeof b);
    OBSERVE(c[1] + c[2] + c[7]);
    OBSERVE(sizeof d);
    OBSERVE(list[2][1]);
    OBSERVE(list[3][2]);
    OBSERVE(sizeof list);
    OBSERVE(pointers[1][1]);
    OBSERVE(pointers[2] == 0);
    OBSERVE(u[0]);
    OBSERVE(people[1].name[0] + people[1].n);
    OBSERVE(people[0].name[5]);
    local[0] = 'v';
    OBSERVE(local[0]);
    OBSERVE(sizeof local);
    OBSERVE(fill[1] + fill[9]);
    return 0;
}

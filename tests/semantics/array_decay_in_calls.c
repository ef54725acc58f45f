/* An array argument is a pointer to its first element. */
#include "observe.h"

static int sum(const int *v, int n) { int s = 0; while (n--) s += *v++; return s; }
static void clear(char text[10]) { text[0] = '-'; }
static unsigned size_of_parameter(int v[100]) { return sizeof v; }

int main(void)
{
    int v[5] = { 1, 2, 3, 4, 5 };
    char text[10] = "abc";
    int *p = v;
    OBSERVE(sum(v, 5));
    OBSERVE(sum(v + 1, 3));
    OBSERVE(sum(&v[2], 2));
    clear(text);
    OBSERVE(text[0]);
    OBSERVE(sizeof v);
    OBSERVE(sizeof(v + 0) == sizeof(int *));
    OBSERVE(size_of_parameter(v) == sizeof(int *));
    OBSERVE(p == &v[0]);
    OBSERVE(*v + *(v + 4));
    OBSERVE((void *)v == (void *)&v);
    OBSERVE((char *)(&v + 1) - (char *)v);
    return 0;
}

/* Left operand first, its value thrown away; the right one's value and type. */
#include "observe.h"

static int trace;
static int mark(int n) { trace = trace * 10 + n; return n; }

int main(void)
{
    int a, b = (a = 5, a + 1), v[3] = { (1, 2), (3, 4, 5) };
    OBSERVE(b);
    OBSERVE(v[0] * 10 + v[1]);
    OBSERVE((mark(1), mark(2), mark(3)));
    OBSERVE(trace);
    a = 1, b = 2;
    OBSERVE(a + b);
    OBSERVE(sizeof((char)1, (long long)2));
    OBSERVE((v[a++, a - 1]));
    for (a = 0, b = 5; a++, --b;)
        ;
    OBSERVE(a);
    OBSERVE((a > 3 ? (b = 7, 8) : 9) + b * 0);
    OBSERVE(b);
    return 0;
}

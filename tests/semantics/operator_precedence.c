/* Expressions that only the right grouping gets right. */
#include "observe.h"

int main(void)
{
    int a = 2, b = 3, c = 4, v[3] = { 5, 6, 7 }, *p = v;
    OBSERVE(a + b * c);
    OBSERVE(a - b - c);
    OBSERVE(c / b * a);
    OBSERVE(1 << a + b);
    OBSERVE(a & b == 3);
    OBSERVE(a ^ b | c & 6);
    OBSERVE(!a + 1);
    OBSERVE(-a * -b);
    OBSERVE(~a & 7);
    OBSERVE(a < b == c > b);
    OBSERVE(sizeof a + 1);
    OBSERVE((char)300 + 1);
    OBSERVE(*p + 1);
    OBSERVE(*&p[1]);
    OBSERVE(-*p);
    OBSERVE(a = b = c);
    OBSERVE(a || b && 0);
    OBSERVE(1 ? 2 : 3 + 4);
    OBSERVE(- - a);
    OBSERVE(c---b);
    OBSERVE(a % 3 * 2);
    OBSERVE(16 >> 1 << 2);
    return 0;
}

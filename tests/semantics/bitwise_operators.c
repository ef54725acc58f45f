/* &, |, ^ and ~ on operands of different widths and signs. */
#include "observe.h"

int main(void)
{
    signed char c = -86;
    unsigned char uc = 0x0f;
    int i = -256;
    unsigned u = 0xff00ff00u;
    long long ll = 0x00ff00ff00ff00ffll;
    OBSERVE(c & uc);
    OBSERVE(c | uc);
    OBSERVE(c ^ uc);
    OBSERVE(c & u);
    OBSERVE(c & ll);
    OBSERVE(u & ll);
    OBSERVE(~u & ll);
    OBSERVE(~ll ^ i);
    OBSERVE(i | ll);
    OBSERVE(u | ll);
    OBSERVE((i & 0x0ff0) >> 4);
    OBSERVE(u & -u);
    OBSERVE(i & -i);
    OBSERVE(1 | 6 ^ 3 & 5);
    OBSERVE(4 & 7 == 7);
    return 0;
}

/* Plain char is signed here. */
#include "observe.h"
#include <limits.h>

int main(void)
{
    char c = 200;
    unsigned char u = 200;
    signed char s = 200;
    char buffer[2] = { '\x80', '\x7f' };
    OBSERVE(c);
    OBSERVE(u);
    OBSERVE(s);
    OBSERVE(c == s);
    OBSERVE(c == u);
    OBSERVE(c < 0);
    OBSERVE(c >> 1);
    OBSERVE(u >> 1);
    OBSERVE(buffer[0]);
    OBSERVE(buffer[1]);
    OBSERVE(buffer[0] < buffer[1]);
    OBSERVE(CHAR_MIN);
    OBSERVE(CHAR_MAX);
    OBSERVE((char)255);
    return 0;
}

/* A character constant is an int with the value of a char. */
#include "observe.h"

int main(void)
{
    OBSERVE('a');
    OBSERVE(sizeof('a'));
    OBSERVE('\xff');
    OBSERVE('\377' < 0);
    OBSERVE('\0');
    OBSERVE('\n');
    OBSERVE('\t' + '\v' + '\f' + '\r' + '\a' + '\b');
    OBSERVE('\\');
    OBSERVE('\'');
    OBSERVE('"');
    OBSERVE('\?');
    OBSERVE('\x7f');
    OBSERVE('\12');
    OBSERVE('ab');
    OBSERVE('abcd');
    OBSERVE(L'x');
    OBSERVE(L'\xff');
    OBSERVE(u'\xffff');
    OBSERVE(U'\xffffffff');
    OBSERVE('\e');
    return 0;
}

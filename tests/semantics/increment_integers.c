/* ++ and -- on integers of all widths: old and new values. */
#include "observe.h"

int main(void)
{
    signed char c = 127;
    unsigned char u = 0;
    short s = -32768;
    unsigned short h = 65535;
    int i = 5;
    long l = -1;
    unsigned long long w = 0;
    OBSERVE(c++);
    OBSERVE(c);
    OBSERVE(--u);
    OBSERVE(u--);
    OBSERVE(s--);
    OBSERVE(s);
    OBSERVE(++h);
    OBSERVE(h--);
    OBSERVE(h);
    OBSERVE(i++ + 10);
    OBSERVE(++i * 2);
    OBSERVE(l++ < 0);
    OBSERVE(l);
    OBSERVE(w--);
    OBSERVE(w);
    OBSERVE(sizeof(c++));
    OBSERVE(-i++);
    OBSERVE(- --i);
    return 0;
}

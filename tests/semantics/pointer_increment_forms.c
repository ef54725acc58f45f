/* *p++, (*p)++, ++*p and *++p. */
#include "observe.h"

int main(void)
{
    int v[5] = { 10, 20, 30, 40, 50 }, *p = v;
    char text[] = "abc", *t = text;
    OBSERVE(*p++);
    OBSERVE(*p);
    OBSERVE((*p)++);
    OBSERVE(*p);
    OBSERVE(++*p);
    OBSERVE(*++p);
    OBSERVE(*p--);
    OBSERVE(*p);
    OBSERVE(--*p);
    OBSERVE(*--p);
    OBSERVE(p - v);
    *t++ = 'x';
    *t++ += 1;
    OBSERVE(text[0]);
    OBSERVE(text[1]);
    OBSERVE(t - text);
    OBSERVE(*t++ == 'c' && !*t);
    return 0;
}

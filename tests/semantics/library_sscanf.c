/* What sscanf converts, what it leaves alone, and what it returns. */
#include "observe.h"
#include <stdio.h>

static int a, b, n;
static unsigned u;
static long l;
static signed char c;
static char s[20], t[20];

static void start(void)
{
    a = b = n = -7;
    u = 7;
    l = 7;
    c = 7;
    for (int i = 0; i < 20; i++)
        s[i] = t[i] = 'q';
}

static void all(int result)
{
    OBSERVE((unsigned)result);
    OBSERVE((unsigned)a);
    OBSERVE((unsigned)b);
    OBSERVE((unsigned)n);
    OBSERVE(u);
    OBSERVE((unsigned)l);
    OBSERVE((unsigned)c);
    for (int i = 0; i < 8; i++) {
        OBSERVE((unsigned char)s[i]);
        OBSERVE((unsigned char)t[i]);
    }
    start();
}

int main(void)
{
    start();
    all(sscanf("12 -34", "%d%d", &a, &b));
    all(sscanf("12 x", "%d%d", &a, &b));
    all(sscanf("x", "%d", &a));
    all(sscanf("", "%d", &a));
    all(sscanf("   ", "%d", &a));
    all(sscanf("12", "%d%d", &a, &b));
    all(sscanf("12,34", "%d,%d", &a, &b));
    all(sscanf("12;34", "%d,%d", &a, &b));
    all(sscanf("5,7", "%*d,%d", &a));
    all(sscanf("12345", "%2d%d", &a, &b));
    all(sscanf("0x1f 010 9", "%i %i %ld", &a, &b, &l));
    all(sscanf("ff 17", "%x %o", &u, &a));
    all(sscanf("0x1fz", "%x%s", &u, s));
    all(sscanf("hello world", "%s %s", s, t));
    all(sscanf("hello", "%3s%s", s, t));
    all(sscanf("abc123", "%[a-z]%d", s, &a));
    all(sscanf("abc123", "%2[a-z]%n", s, &n));
    all(sscanf("123", "%[^0-9]%d", s, &a));
    all(sscanf("a]b", "%[]a]%s", s, t));
    all(sscanf("xyz", "%c%2c", s, t));
    all(sscanf("300", "%hhd", &c));
    all(sscanf("50%", "%d%%%n", &a, &n));
    all(sscanf("word 1", "word %d", &a));
    all(sscanf("wort 1", "word %d", &a));
    all(sscanf("wo", "word %d", &a));
    all(sscanf("+5 -", "%d %d", &a, &b));
    return 0;
}

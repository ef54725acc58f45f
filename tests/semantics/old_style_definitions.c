/* K&R parameters; arguments are passed after the default promotions. */
#include "observe.h"

int add(a, b)
    int a, b;
{
    return a + b;
}

int narrow(c, s, f)
    char c;
    short s;
    float f;
{
    return c + s + (int)(f * 10);
}

int defaults(x, p)
    int *p;
{
    return x + *p;
}

double mix(n, d) unsigned char n; double d; { return n * d; }
char *skip(s, n) char *s; int n; { return s + n; }
int apply(f, v) int (*f)(); int v[]; { return f(v[0], v[1]); }

int main()
{
    int x = 5, v[2] = { 8, 9 };
    OBSERVE(add(1, 2));
    OBSERVE(narrow(300, 70000, 1.25));
    OBSERVE(defaults(3, &x));
    OBSERVE_DOUBLE(mix(258, 0.5));
    OBSERVE(*skip("abcdef", 2));
    OBSERVE(apply(add, v));
    return 0;
}

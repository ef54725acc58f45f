#include <stdarg.h>

static int f(int n)
{
    va_list a;
    va_start(a, n);
    va_end(a);
    return n;
}

int main(void)
{
    return f(1);
}

#include <string.h>

int main(void)
{
    long double x = 1;
    char y[16];
    memcpy(y, x, sizeof x);
    return y[0];
}

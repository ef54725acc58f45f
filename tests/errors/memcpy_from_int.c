#include <string.h>

int main(void)
{
    int x = 1;
    char y[4] = {0};
    if (x == 0)
        memcpy(y, x, sizeof x);
    return y[0];
}

#include <stddef.h>
#include <string.h>

int main(void)
{
    size_t n = strlen("abc") n;
    return 0;
}

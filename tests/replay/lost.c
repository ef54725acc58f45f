#include <stdlib.h>

static int *kept;

static int *make(void)
{
    return malloc(8);
}

int main(void)
{
    kept = make();
    kept = make();
    return 0;
}

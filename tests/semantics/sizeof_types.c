/* Sizes of the basic and derived types in this data model. */
#include "observe.h"
#include <stddef.h>
#include <stdint.h>

int main(void)
{
    char c[7];
    OBSERVE(sizeof(char));
    OBSERVE(sizeof(short));
    OBSERVE(sizeof(int));
    OBSERVE(sizeof(long));
    OBSERVE(sizeof(long long));
    OBSERVE(sizeof(float));
    OBSERVE(sizeof(double));
    OBSERVE(sizeof(long double));
    OBSERVE(sizeof(void *));
    OBSERVE(sizeof(int (*)(void)));
    OBSERVE(sizeof(_Bool));
    OBSERVE(sizeof(size_t));
    OBSERVE(sizeof(ptrdiff_t));
    OBSERVE(sizeof(wchar_t));
    OBSERVE(sizeof(intmax_t));
    OBSERVE(sizeof(int_fast16_t));
    OBSERVE(sizeof(int[3][5]));
    OBSERVE(sizeof c);
    OBSERVE(sizeof c[0]);
    OBSERVE(sizeof &c);
    OBSERVE(sizeof *&c);
    OBSERVE(sizeof(main));
    OBSERVE((size_t)-1);
    return 0;
}

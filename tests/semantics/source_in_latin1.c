/* Bytes that are no UTF-8, here éÿ, may stand in comments and literals. */
#include "observe.h"

static const char text[] = "café"; // naïve

int main(void)
{
    OBSERVE(sizeof text);
    OBSERVE(text[3]);
    OBSERVE((unsigned char)text[3]);
    OBSERVE('é');
    OBSERVE(text[4]);
    return 0;
}

/* Fields go into their unit from the low bits up. */
#include "observe.h"
#include <string.h>

struct flags { unsigned a : 3, b : 5, c : 8, d : 16; };

int main(void)
{
    struct flags f = { 5, 17, 0xab, 0x1234 };
    unsigned word;
    unsigned char bytes[sizeof(struct flags)];
    memcpy(&word, &f, sizeof word);
    memcpy(bytes, &f, sizeof f);
    OBSERVE(sizeof f);
    OBSERVE(word);
    OBSERVE(bytes[0]);
    OBSERVE(bytes[1]);
    f.b = 0;
    memcpy(&word, &f, sizeof word);
    OBSERVE(word);
    word = 0xffffffff;
    memcpy(&f, &word, sizeof word);
    OBSERVE(f.a);
    OBSERVE(f.b);
    f.c = 0;
    OBSERVE(f.d);
    OBSERVE(f.a + f.c);
    return 0;
}

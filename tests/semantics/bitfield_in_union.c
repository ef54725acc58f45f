/* Fields in a union share their bits. */
#include "observe.h"

union u {
    unsigned word;
    struct { unsigned low : 8, middle : 16, high : 8; } parts;
    unsigned tiny : 4;
    int sign : 5;
};

int main(void)
{
    union u u;
    u.word = 0xdeadbeef;
    OBSERVE(u.parts.low);
    OBSERVE(u.parts.middle);
    OBSERVE(u.parts.high);
    OBSERVE(u.tiny);
    OBSERVE(u.sign);
    u.parts.middle = 0x1234;
    OBSERVE(u.word);
    u.tiny = 0;
    OBSERVE(u.word);
    u.sign = -1;
    OBSERVE(u.word);
    OBSERVE(sizeof u);
    return 0;
}

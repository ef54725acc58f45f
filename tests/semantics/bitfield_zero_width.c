/* An unnamed field of width 0 ends the unit. */
#include "observe.h"
#include <string.h>

struct packed_together { unsigned a : 4, b : 4; };
struct split { unsigned a : 4; unsigned : 0; unsigned b : 4; };
struct split_char { unsigned a : 4; char : 0; unsigned b : 4; };

int main(void)
{
    struct split s;
    struct split_char c;
    unsigned char bytes[8];
    OBSERVE(sizeof(struct packed_together));
    OBSERVE(sizeof(struct split));
    OBSERVE(sizeof(struct split_char));
    memset(&s, 0, sizeof s);
    s.a = 9;
    s.b = 6;
    memcpy(bytes, &s, sizeof s);
    OBSERVE(bytes[0]);
    OBSERVE(bytes[4]);
    memset(&c, 0, sizeof c);
    c.a = 9;
    c.b = 6;
    memcpy(bytes, &c, sizeof c);
    OBSERVE(bytes[0]);
    OBSERVE(bytes[1]);
    return 0;
}

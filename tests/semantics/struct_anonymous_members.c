/* Members of unnamed structs and unions belong to the enclosing struct. */
#include "observe.h"

struct s {
    int kind;
    union {
        int number;
        struct { short low, high; };
        unsigned char bytes[4];
    };
    struct { int x; struct { int y; }; };
};

int main(void)
{
    struct s s = { 1, { 0x00020003 }, { 4, { 5 } } };
    struct s t = { .high = 7, .y = 8 };
    struct s *p = &s;
    OBSERVE(s.number);
    OBSERVE(s.low);
    OBSERVE(s.high);
    OBSERVE(s.bytes[2]);
    OBSERVE(s.x);
    OBSERVE(s.y);
    p->high = -1;
    OBSERVE(p->number);
    OBSERVE(t.low);
    OBSERVE(t.number);
    OBSERVE(t.x);
    OBSERVE(t.y);
    OBSERVE(sizeof s);
    return 0;
}

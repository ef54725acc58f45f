/* offsetof through nested members and elements, and by hand. */
#include "observe.h"
#include <stddef.h>

struct in { short a; int b; };
struct s { char c; struct in in[3]; union { char x; double y; } u; int tail; };

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

int main(void)
{
    struct s s = { 'c', { { 1, 2 } }, { 3 }, 4 };
    int *tail = &s.tail;
    OBSERVE(offsetof(struct s, c));
    OBSERVE(offsetof(struct s, in));
    OBSERVE(offsetof(struct s, in[1]));
    OBSERVE(offsetof(struct s, in[2].b));
    OBSERVE(offsetof(struct s, u));
    OBSERVE(offsetof(struct s, u.y));
    OBSERVE(offsetof(struct s, tail));
    OBSERVE((size_t)&((struct s *)0)->tail == offsetof(struct s, tail));
    OBSERVE((char *)&s.in[2].b - (char *)&s);
    OBSERVE(container_of(tail, struct s, tail)->in[0].b);
    OBSERVE(container_of(&s.in[1], struct s, in[1]) == &s);
    OBSERVE(__builtin_offsetof(struct in, b));
    return 0;
}

/* Members are aligned to their types; the size is a multiple of the alignment. */
#include "observe.h"
#include <stddef.h>

struct a { char c; int i; char d; };
struct b { char c; double d; };
struct c { char c; long long l; short s; };
struct d { short s; char c; };
struct e { struct a a; char c; long l; void *p; };
struct f { char c; long double ld; };
struct g { char c[3]; short s[2]; };

int main(void)
{
    OBSERVE(sizeof(struct a));
    OBSERVE(offsetof(struct a, d));
    OBSERVE(sizeof(struct b));
    OBSERVE(offsetof(struct b, d));
    OBSERVE(sizeof(struct c));
    OBSERVE(offsetof(struct c, s));
    OBSERVE(sizeof(struct d));
    OBSERVE(offsetof(struct e, c));
    OBSERVE(offsetof(struct e, l));
    OBSERVE(offsetof(struct e, p));
    OBSERVE(sizeof(struct e));
    OBSERVE(offsetof(struct f, ld));
    OBSERVE(sizeof(struct f));
    OBSERVE(offsetof(struct g, s[1]));
    OBSERVE(sizeof(struct g));
    OBSERVE(offsetof(struct e, a.i));
    return 0;
}

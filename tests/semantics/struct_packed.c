/* Packed structs have no padding; their members are unaligned. */
#include "observe.h"
#include <stddef.h>
#include <string.h>

struct __attribute__((packed)) p { char c; int i; short s; double d; };
struct q { char c; struct p p; } ;
struct r { char c; int i __attribute__((packed)); long long l; };

int main(void)
{
    struct p p = { 1, 0x01020304, -2, 0.75 };
    struct q q = { 9, p };
    unsigned char bytes[sizeof p];
    OBSERVE(sizeof(struct p));
    OBSERVE(offsetof(struct p, d));
    OBSERVE(sizeof(struct q));
    OBSERVE(offsetof(struct r, i));
    OBSERVE(sizeof(struct r));
    memcpy(bytes, &p, sizeof p);
    OBSERVE(bytes[1]);
    OBSERVE(bytes[4]);
    OBSERVE(bytes[5]);
    OBSERVE(q.p.i);
    OBSERVE(q.p.s);
    OBSERVE_DOUBLE(q.p.d);
    q.p.i++;
    OBSERVE(q.p.i);
    OBSERVE(_Alignof(struct p));
    return 0;
}

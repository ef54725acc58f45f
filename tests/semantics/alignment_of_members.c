/* __alignof__ of a member is the alignment that its declaration gives it: with
 * packed, aligned and #pragma pack. */
#include "observe.h"

struct plain { char c; long long l; double d; short s[3]; };
struct packed { char c; long long l; int i __attribute__((aligned(4))); } __attribute__((packed));
struct mixed { char c; int i __attribute__((packed)); short s __attribute__((aligned(8))); _Alignas(16) char a; };
#pragma pack(push, 2)
struct limited { char c; int i; double d; char e __attribute__((aligned(8))); };
#pragma pack(pop)
struct nested { char c; struct packed p; union { int i; struct { char c; double d; } s; }; };

int main(void)
{
    struct plain p = { 0 }, *q = &p;
    struct packed k = { 0 };
    struct mixed m = { 0 };
    struct limited l = { 0 };
    struct nested n = { 0 };
    OBSERVE(__alignof__(p.c) + 10 * __alignof__(p.l) + 100 * __alignof__(p.d) + 1000 * __alignof__(p.s));
    OBSERVE(__alignof__(q->l) + 10 * __alignof__(q->s));
    OBSERVE(__alignof__(k.c) + 10 * __alignof__(k.l) + 100 * __alignof__(k.i));
    OBSERVE(__alignof__(m.i) + 10 * __alignof__(m.s) + 100 * __alignof__(m.a));
    OBSERVE(__alignof__(l.i) + 10 * __alignof__(l.d) + 100 * __alignof__(l.e));
    OBSERVE(__alignof__(n.p) + 10 * __alignof__(n.p.l) + 100 * __alignof__(n.i) + 1000 * __alignof__(n.s.d));
    return 0;
}

/* A later initialiser of a part overrides those of the part before it, and those of
 * what is in it: what it leaves out is zero (6.7.9 p19). What is overridden is not
 * evaluated. */
#include "observe.h"

static int calls;
static int called(int value)
{
    calls = calls * 10 + value;
    return value;
}

struct inner { int x, y; };
struct outer { struct inner in; int z; char text[4]; };
union either { struct inner pair; unsigned char byte; long long whole; };
struct holder { union either u; int k; };
struct bits { struct { int a : 3; int b : 5; } fields; int q; };

static struct outer fixed = { { 1, 2 }, 3, "abc", .in = { .y = 5 }, .text = "x" };
static int table[4][2] = { { 1, 2 }, { 3, 4 }, [0 ... 2] = { 7 }, [1][1] = 8 };
static union either member = { .whole = -1, .byte = 5 };
static struct holder nested = { .u.whole = 0x1122334455667788, .u.pair.x = 6 };
static int elided[2][3] = { { 1, 2, 3 }, { 4, 5, 6 }, [0] = 9, 8 };

static void observe_outer(struct outer o)
{
    OBSERVE(o.in.x);
    OBSERVE(o.in.y);
    OBSERVE(o.z);
    OBSERVE(o.text[0] + 256 * o.text[1] + 65536 * o.text[2]);
}

int main(void)
{
    struct inner seven = { 7, 8 };
    int i, j;
    observe_outer(fixed);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 2; j++)
            OBSERVE(table[i][j]);
    OBSERVE(member.whole);
    OBSERVE(nested.u.pair.x);
    OBSERVE(nested.u.pair.y);
    for (i = 0; i < 6; i++)
        OBSERVE(elided[i / 3][i % 3]);
    {
        struct outer o = { .in.x = 3, .in = seven, .z = called(1), .text = "abc", .z = called(2) };
        observe_outer(o);
    }
    {
        struct outer o = { { called(3), called(4) }, .in = { called(5) }, .text[2] = 'c', .text = { 'd' } };
        observe_outer(o);
    }
    {
        struct outer o = { { 1, 2 }, 5, .in.x = 9, 10, 11 };
        observe_outer(o);
    }
    {
        int a[3] = { [0 ... 2] = called(6), [0] = 1 };
        int b[2] = { [0 ... 1] = called(7), [0] = 2, [1] = 3 };
        int c[3][2] = { [1] = { 1, 2 }, [0 ... 2] = { [1] = 8 }, [2][0] = 4 };
        for (i = 0; i < 3; i++)
            OBSERVE(a[i] * 100 + c[i][0] * 10 + c[i][1]);
        OBSERVE(b[0] * 10 + b[1]);
    }
    {
        struct holder h = { .u.pair.x = 1, .u.pair.y = 2 };
        struct holder g = { .u.pair = { 1, 2 }, .u.byte = 3, .k = 4 };
        struct holder r[2] = { [0 ... 1].u.pair.x = 5, [1].u.byte = 6, [0].u.pair.y = 7 };
        OBSERVE(h.u.whole);
        OBSERVE(g.u.byte);
        OBSERVE(r[0].u.whole);
        OBSERVE(r[1].u.byte);
    }
    {
        struct outer o = { .in = seven, .in.y = 3, 4 };
        observe_outer(o);
    }
    {
        struct bits b = { { 1, 2 }, 3, .fields = { .b = 1 } };
        OBSERVE(b.fields.a);
        OBSERVE(b.fields.b);
        OBSERVE(b.q);
        OBSERVE(((struct inner){ 1, 2, .x = called(9) }).y);
    }
    OBSERVE(calls);
    return 0;
}

/* GNU C: structs with arrays of variable length as members. */
#include "observe.h"

static int middle(int n)
{
    struct { char c; int a[n]; char d; short e; double f; } s, t;
    OBSERVE((char *)&s.d - (char *)&s);
    OBSERVE((char *)&s.e - (char *)&s);
    OBSERVE((char *)&s.f - (char *)&s);
    OBSERVE(sizeof s);
    s.c = 1;
    for (int i = 0; i < n; i++)
        s.a[i] = i;
    s.d = 9;
    s.e = 10;
    s.f = 1.5;
    t = s;
    s.a[n - 1] = 77;
    OBSERVE_DOUBLE(t.f);
    return t.a[n - 1] + t.c + t.d + t.e;
}

static int packed(int n)
{
    struct s { int i[n]; unsigned b : 1; unsigned k : 3; int v; } __attribute__((packed)) __attribute__((aligned(4)));
    struct s x[2];
    x[0].b = 1;
    x[0].k = 5;
    x[0].v = 3;
    x[1] = x[0];
    OBSERVE(sizeof x);
    OBSERVE((char *)&x[1].v - (char *)x);
    return x[1].b * 100 + x[1].k * 10 + x[1].v;
}

static unsigned long fixed_at_declaration(int n)
{
    typedef struct { int c[n + 2]; } record;
    n = 100;
    return sizeof(record) * 3;
}

static int pointers(int n)
{
    struct s { char b[n]; struct { int x, y; } in; };
    char *memory = __builtin_alloca(sizeof(struct s) * 3);
    struct s *p = (struct s *)memory;
    p[2].in.y = 7;
    p++;
    (p + 1)->b[n - 1] = 'q';
    struct s *q = p + 1;
    OBSERVE(q - p);
    OBSERVE((char *)q - memory);
    OBSERVE(__builtin_offsetof(struct { int a; char c; }, c));
    p[0] = *q;
    return p->in.y + p->b[n - 1];
}

static int within_another(int n)
{
    struct outer { struct { char q[n]; } in; char z; struct { long l; } after; };
    struct outer v, *p = &v;
    p->in.q[n - 1] = 3;
    p->z = 4;
    v.after.l = 5;
    OBSERVE((char *)&v.z - (char *)&v);
    OBSERVE(sizeof v);
    OBSERVE(sizeof v.in);
    return v.in.q[n - 1] + v.z + v.after.l;
}

static int of_two_dimensions(int n, int m)
{
    struct { short a[n][m]; char c; } s;
    s.a[n - 1][m - 1] = 5;
    s.c = 6;
    int both(void) { return s.a[n - 1][m - 1] + s.c; }
    OBSERVE(sizeof s);
    return both();
}

static int value_of_statements(int n)
{
    struct s { char w[n]; } a, b;
    b.w[0] = 1;
    b.w[n - 1] = 8;
    a = ({ struct s c; c = b; c.w[0] = 2; c; });
    return a.w[0] * 10 + a.w[n - 1];
}

int main(void)
{
    OBSERVE(middle(3));
    OBSERVE(middle(8));
    OBSERVE(packed(2));
    OBSERVE(fixed_at_declaration(20));
    OBSERVE(pointers(3));
    OBSERVE(pointers(4));
    OBSERVE(within_another(5));
    OBSERVE(of_two_dimensions(2, 3));
    OBSERVE(value_of_statements(7));
    return 0;
}

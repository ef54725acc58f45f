/* A copy of a structure is independent of the original. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct point { int x; struct { short y; char z; } inner; };

int main(void)
{
    int n = __VERIFIER_nondet_int();
    struct point a = { n, { 2, 3 } }, b = a;
    struct point *p = &b;
    while (__VERIFIER_nondet_int()) {
        if (a.x != n || b.inner.z != 3)
            reach_error();
        p->x = __VERIFIER_nondet_int();
        p->inner.y += 5;
        a.inner.z = (char)p->x;
        b.inner = a.inner;
        b.inner.z = 3;
    }
    return 0;
}

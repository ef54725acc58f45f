// Fixed cells of memory.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct pair { int a, b; };
void swap(struct pair *p) {
    int old = p->a;
    p->a = p->b;
    p->b = old;
}
int main(void) {
    struct pair p = {1, __VERIFIER_nondet_int()};
    swap(&p);
    if (p.a == 17 && p.b == 1)
        reach_error();
    return 0;
}

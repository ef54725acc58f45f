/* (type){ ... } is an object: addressable, assignable, of its block's lifetime. */
#include "observe.h"

struct p { int x, y; };
static int sum(const int *v, int n) { int s = 0; while (n--) s += *v++; return s; }
static int area(struct p p) { return p.x * p.y; }
static void grow(struct p *p) { p->x++; }
static int *global = (int[]){ 7, 8, 9 };
static struct p *point = &(struct p){ .y = 5 };

int main(void)
{
    struct p *p = &(struct p){ 1, 2 }, q;
    int i, *v = (int[4]){ 1, [3] = 4 };
    grow(p);
    OBSERVE(p->x);
    OBSERVE(sum((int[]){ 10, 20, 30 }, 3));
    OBSERVE(area((struct p){ 6, 7 }));
    q = (struct p){ .y = 9 };
    OBSERVE(q.x + q.y);
    OBSERVE(v[0] + v[2] + v[3]);
    OBSERVE((int){ 5 } + 1);
    OBSERVE(++(int){ 41 });
    OBSERVE(global[1]);
    OBSERVE(point->y);
    OBSERVE(sizeof (int[]){ 1, 2, 3 });
    OBSERVE((char[]){ "text" }[2]);
    for (i = 0; i < 3; i++) {
        int *once = (int[2]){ i };
        *once += 10;
        OBSERVE(*once + once[1]);
    }
    OBSERVE(((struct p){ i, 8 }).y);
    OBSERVE((unsigned char){ 300 });
    return 0;
}

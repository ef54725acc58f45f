/* GNU C: ({ ... }) has the value of its last expression. */
#include "observe.h"

struct p { int x, y; };
static int depth(int n) { return ({ int r; if (n <= 0) r = 0; else r = 1 + depth(n - 1); r; }); }
static int leave(int x) { int y = ({ if (x > 5) return -1; x * 2; }); return y + 1; }

int main(void)
{
    int i, n = 0, x = ({ int a = 2, b = 3; a *= b; a + b; });
    struct p p = ({ struct p q = { 4, 5 }; q.x++; q; });
    OBSERVE(x);
    OBSERVE(p.x * 10 + p.y);
    OBSERVE(({ int s = 0; for (i = 0; i < 5; i++) s += i; s; }));
    OBSERVE(({ ; 7; }) + ({ char c = 300; c; }));
    OBSERVE(depth(6));
    OBSERVE(leave(3));
    OBSERVE(leave(8));
    OBSERVE(({ struct p q = { 6, 7 }; q; }).y);
    for (i = 0; i < 6; i++)
        n += ({ if (i == 2) continue; if (i == 5) break; i; });
    OBSERVE(n);
    OBSERVE(({ int i = 1; ({ int i = 2; i++; i; }) * 10 + i; }));
    ({ n = 3; });
    OBSERVE(n);
    OBSERVE(({ n++ > 2; }) && ({ n += 10; n; }));
    OBSERVE(n);
    OBSERVE(sizeof(({ (char)1; })));
    return 0;
}

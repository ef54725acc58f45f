/* Array parameters are pointers, whatever is in the brackets. */
#include "observe.h"

static int a(int v[]) { return v[1]; }
static int b(int v[2]) { v++; return v[0]; }
static int c(int v[static 2]) { return *(v + 1); }
static int d(int v[const 2]) { return v[1]; }
static int e(int v[][2]) { return v[1][0]; }
static int f(int (*v)[2]) { return v[1][1]; }
static int g(int n, int v[n]) { return v[n - 1]; }
static int h(int n, int v[*][n]);
static int h(int n, int v[2][n]) { return v[1][n - 1]; }

int main(void)
{
    int v[2][2] = { { 1, 2 }, { 3, 4 } };
    OBSERVE(a(v[0]));
    OBSERVE(b(v[1]));
    OBSERVE(c(v[0]));
    OBSERVE(d(v[1]));
    OBSERVE(e(v));
    OBSERVE(f(v));
    OBSERVE(g(4, &v[0][0]));
    OBSERVE(h(2, v));
    OBSERVE(sizeof(int[7]));
    return 0;
}

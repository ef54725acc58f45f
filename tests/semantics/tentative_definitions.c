/* Several declarations of one object; without an initialiser it is zero. */
#include "observe.h"

int a;
int a;
extern int a;
int a = 5;
static int b;
static int b;
int c;
extern int d;
int d = 4;
extern int e[];
int e[3] = { 1, 2, 3 };
int f[];
struct s g;
struct s { int x, y; } ;
extern struct s g;
static int h(void);
extern int counter;

int main(void)
{
    extern int later;
    extern int counter;
    b += 2;
    g.y = 6;
    f[0] = 9;
    counter++;
    OBSERVE(a);
    OBSERVE(b);
    OBSERVE(c);
    OBSERVE(d);
    OBSERVE(e[2]);
    OBSERVE(f[0]);
    OBSERVE(g.x + g.y);
    OBSERVE(h());
    OBSERVE(later);
    OBSERVE(counter);
    return 0;
}

int later = 77;
int counter = 1;
static int h(void) { return counter * 10; }

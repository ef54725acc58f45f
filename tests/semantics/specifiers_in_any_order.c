/* Type specifiers, qualifiers and storage classes in odd orders. */
#include "observe.h"

int static unsigned long long a = 5;
long unsigned int const static b = 6;
char signed c = -1;
short int unsigned d = -1;
long double typedef precise;
int long long signed e = -1ll;
const struct { int x; } static f = { 8 };
int volatile *const g = (int volatile *)&f;
double long h = 0.5L;
inline static int i(void) { return 3; }
unsigned register_like = 2;

int main(void)
{
    register int r = 4;
    auto int s = 5;
    unsigned const volatile t = 6;
    OBSERVE(sizeof a + a);
    OBSERVE(sizeof b + b);
    OBSERVE(c);
    OBSERVE(d);
    OBSERVE(sizeof(precise) == sizeof h);
    OBSERVE(e);
    OBSERVE(*g);
    OBSERVE_LONG_DOUBLE(h);
    OBSERVE(i());
    OBSERVE(r + s + t + register_like);
    return 0;
}

/* Functions return whole structs; members can be taken from the call. */
#include "observe.h"

struct pair { int first, second; };
struct row { int v[5]; };
struct mixed { float f; char c; long long l; };

static struct pair make(int a, int b) { struct pair p; p.first = a; p.second = b; return p; }
static struct pair flip(struct pair p) { return make(p.second, p.first); }
static struct row fill(int n) { struct row r; int i; for (i = 0; i < 5; i++) r.v[i] = n * i; return r; }
static struct mixed mix(void) { struct mixed m = { 1.5f, -1, 1ll << 40 }; return m; }

int main(void)
{
    struct pair p = flip(make(1, 2));
    struct row r;
    OBSERVE(p.first);
    OBSERVE(p.second);
    OBSERVE(make(7, 8).second);
    OBSERVE(flip(flip(make(5, 6))).first);
    r = fill(3);
    OBSERVE(r.v[4]);
    OBSERVE(fill(9).v[2]);
    OBSERVE_FLOAT(mix().f);
    OBSERVE(mix().c);
    OBSERVE(mix().l);
    p = p.first > p.second ? p : flip(p);
    OBSERVE(p.first);
    return 0;
}

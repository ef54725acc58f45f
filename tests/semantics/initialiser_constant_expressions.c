/* Static initialisers: arithmetic, enums, sizeof, casts and conditionals. */
#include "observe.h"

enum { N = 3, M = N * 2 + 1 };
static int v[N + M] = { N << 2, -M % 4, ~0 & 0xff };
static int choice = sizeof(int) == 4 ? 40 : 80;
static unsigned char narrow = 300;
static double d = 1 / 2 + 1.0 / 4;
static float f = 0.1;
static int cut = 7.9, negative = -7.9;
static long long wide = 1ll << 40 | 5;
static unsigned u = -1;
static int logic = 1 && 0 || !0, comma = (1 ? 2 : 3) * 4;
static char c = 'a' + 1;
static int size = sizeof v, from_cast = (signed char)200;
static _Bool b = 0.5;
static int address_free = (int)(sizeof(struct { char c; int i; }));

int main(void)
{
    OBSERVE(v[0]);
    OBSERVE(v[1]);
    OBSERVE(v[2]);
    OBSERVE(choice);
    OBSERVE(narrow);
    OBSERVE_DOUBLE(d);
    OBSERVE_FLOAT(f);
    OBSERVE(cut);
    OBSERVE(negative);
    OBSERVE(wide);
    OBSERVE(u);
    OBSERVE(logic);
    OBSERVE(comma);
    OBSERVE(c);
    OBSERVE(size);
    OBSERVE(from_cast);
    OBSERVE(b);
    OBSERVE(address_free);
    return 0;
}

// -std=gnu2x
/* C23 as far as compilers of the time before know it. */
#include "observe.h"

struct [[gnu::packed]] packed { char c; int i [[deprecated]]; };

static int unnamed(int, int b) { return b; }

[[nodiscard]] static int attributes([[maybe_unused]] int a)
{
    switch (a) {
    case 1:
        a += 1;
        [[fallthrough]];
    default:
        a += 2;
    }
    return a;
}

static int labels(int n)
{
again:
    int k = n * 2;
    if (k < 10) {
        n++;
        goto again;
    }
    switch (k) {
    case 10:
    }
    if (n)
        goto end;
    k = 0;
end:
    return k;
    goto last;
last:
}

int main(void)
{
    struct { int a, b; } empty = {};
    OBSERVE(1'000'000 + 0x1'0 + 0b1'01 + 01'7);
    OBSERVE((long long)(1'0.2'5 * 4));
    OBSERVE(u8'a');
    OBSERVE(sizeof u8'a');
    OBSERVE(u8'\xff');
    OBSERVE(sizeof(struct packed));
    OBSERVE(unnamed(1, 2));
    OBSERVE(attributes(1));
    OBSERVE(labels(1));
    OBSERVE(empty.a + empty.b);
#ifdef NONE
#elifdef __STDC__
    OBSERVE(__STDC_VERSION__ > 201710L);
#endif
    _Static_assert(1);
    return 0;
}

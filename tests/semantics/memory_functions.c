/* memcpy, memmove, memset, memcmp, memchr. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char a[12] = "hello world", b[12];
    int v[4] = { 1, 2, 3, 4 }, w[4];
    unsigned char low[2] = { 1, 200 }, high[2] = { 1, 100 };
    OBSERVE(memcpy(b, a, sizeof a) == b);
    OBSERVE(b[10]);
    memmove(b + 2, b, 6);
    OBSERVE(b[2]);
    OBSERVE(b[7]);
    memmove(b, b + 1, 5);
    OBSERVE(b[1]);
    OBSERVE(memset(v, 0xff, 2 * sizeof *v) == v);
    OBSERVE(v[1]);
    OBSERVE(v[2]);
    memset(v, 0x101, sizeof v);
    OBSERVE(v[3]);
    OBSERVE(memcmp(low, high, 2) > 0);
    OBSERVE(memcmp(low, high, 1));
    OBSERVE(memcmp("abc", "abd", 3) < 0);
    memcpy(w, v, 0);
    memcpy(w, v, sizeof w);
    OBSERVE(w[0] == v[3]);
    OBSERVE((char *)memchr(a, 'w', 11) - a);
    OBSERVE(memchr(a, 'z', 11) == 0);
    return 0;
}

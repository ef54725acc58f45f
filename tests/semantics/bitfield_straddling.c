/* A field that does not fit into the rest of its unit starts the next one. */
#include "observe.h"
#include <string.h>

struct wide { unsigned a : 20, b : 20, c : 10; };
struct bytes { unsigned char a : 5, b : 5, c : 3; };
struct mixed { char a; unsigned b : 20; unsigned char c : 6; short d : 9; };

int main(void)
{
    struct wide w = { 0x12345, 0x6789a, 0x2bc };
    struct bytes b = { 21, 10, 5 };
    struct mixed m;
    unsigned words[2];
    unsigned char raw[sizeof(struct mixed)];
    unsigned i;
    OBSERVE(sizeof w);
    memcpy(words, &w, sizeof words);
    OBSERVE(words[0] & 0xfffff);
    OBSERVE(words[1] & 0x3fffffff);
    OBSERVE(sizeof b);
    memcpy(raw, &b, sizeof b);
    OBSERVE(raw[0] & 31);
    OBSERVE(raw[1]);
    memset(&m, 0, sizeof m);
    m.a = 1;
    m.b = 0xabcde;
    m.c = 33;
    m.d = -2;
    OBSERVE(sizeof m);
    memcpy(raw, &m, sizeof m);
    for (i = 0; i < sizeof m; i++)
        OBSERVE(raw[i]);
    return 0;
}

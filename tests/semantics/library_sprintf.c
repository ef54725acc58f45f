/* What sprintf and snprintf write, and what they return. */
#include "observe.h"
#include <stdio.h>
#include <string.h>

static void text(const char *s, int length)
{
    OBSERVE((unsigned)length);
    for (; *s != 0; s++)
        OBSERVE((unsigned char)*s);
}

int main(void)
{
    char b[80];
    int n = 0;
    text(b, sprintf(b, "%d", -42));
    text(b, sprintf(b, "<%5d|%-5d|%05d|%+d|% d>", 42, 42, -42, 42, 42));
    text(b, sprintf(b, "%.3d %.0d|%8.3d|%-8.3d|", 7, 0, -7, 7));
    text(b, sprintf(b, "%u %x %X %#x %#o %o", 4000000000u, 0xbeefu, 0xbeefu, 255u, 8u, 8u));
    text(b, sprintf(b, "%#x %#o %.0o|%#.0o", 0u, 0u, 0u, 0u));
    text(b, sprintf(b, "%hhd %hd %ld %lld %zu", 300, 70000, -5L, -1LL << 63, sizeof(int)));
    text(b, sprintf(b, "%hhu %hx", 511u, 0x12345u));
    text(b, sprintf(b, "%c%c|%3c|%-3c|", 'a', 'b', 'c', 'd'));
    text(b, sprintf(b, "%s|%5s|%-5s|%.2s|%5.1s|", "abc", "abc", "abc", "abc", "abc"));
    text(b, sprintf(b, "%*d|%-*d|%*d|%.*s", 6, 1, 6, 2, -6, 3, 2, "xyz"));
    text(b, sprintf(b, "100%%%s", ""));
    text(b, sprintf(b, "ab%ncd", &n));
    OBSERVE((unsigned)n);
    text(b, snprintf(b, 4, "%s", "abcdef"));
    text(b, snprintf(b, 1, "%d", 12345));
    memset(b, 'z', sizeof b);
    b[79] = 0;
    text(b, snprintf(b, 0, "%d", 12345));
    text(b, snprintf(b, sizeof b, "%d-%s", 7, "end"));
    return 0;
}

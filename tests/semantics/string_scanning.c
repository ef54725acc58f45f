/* Loops over strings by index and by pointer. */
#include "observe.h"

static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
static int compare(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a - *b; }
static char *reverse(char *s) { int i = 0, j = length(s) - 1; while (i < j) { char t = s[i]; s[i++] = s[j]; s[j--] = t; } return s; }
static int number(const char *s) { int n = 0, sign = 1; if (*s == '-') sign = -1, s++; while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); return sign * n; }
static void copy(char *to, const char *from) { while ((*to++ = *from++)) ; }

int main(void)
{
    char buffer[32];
    OBSERVE(length("abcdef"));
    OBSERVE(length(""));
    OBSERVE(compare("abc", "abd"));
    OBSERVE(compare("abc", "ab"));
    OBSERVE(compare("x", "x"));
    OBSERVE(number("-1234x"));
    copy(buffer, "stressed");
    OBSERVE(compare(reverse(buffer), "desserts"));
    OBSERVE(buffer[7]);
    OBSERVE(buffer[8]);
    copy(buffer + 3, "X");
    OBSERVE(length(buffer));
    return 0;
}

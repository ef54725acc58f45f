/* L, u, U and u8 strings are arrays of their own element types. */
#include "observe.h"
#include <stddef.h>
#include <uchar.h>

static wchar_t w[] = L"wide\xffff";
static char16_t s[] = u"ab\u20ac";
static char32_t l[] = U"\U0001f600";
static char b[] = u8"\u00fc";

int main(void)
{
    const wchar_t *p = L"a" L"b";
    OBSERVE(sizeof w / sizeof *w);
    OBSERVE(w[4]);
    OBSERVE(sizeof *w);
    OBSERVE((wchar_t)-1 < 0);
    OBSERVE(sizeof s);
    OBSERVE(s[2]);
    OBSERVE(sizeof l);
    OBSERVE(l[0]);
    OBSERVE(sizeof b);
    OBSERVE((unsigned char)b[0]);
    OBSERVE(p[1] + p[2]);
    OBSERVE(L"narrow" "wide"[7]);
    OBSERVE(sizeof L"");
    return 0;
}

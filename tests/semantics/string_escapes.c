/* Octal, hexadecimal and simple escapes; bytes beyond 127 are negative chars. */
#include "observe.h"

static const char text[] = "\a\b\f\n\r\t\v\\\'\"\?\0\1\12\123\1234\x1\x0f\xfe";

int main(void)
{
    unsigned i;
    for (i = 0; i < sizeof text; i++)
        OBSERVE(text[i]);
    OBSERVE(sizeof text);
    OBSERVE("\377"[0]);
    OBSERVE("\x7f" "f"[1]);
    OBSERVE(sizeof "\x12" "3");
    OBSERVE("\u00e9"[0]);
    OBSERVE(sizeof "\u20ac");
    return 0;
}

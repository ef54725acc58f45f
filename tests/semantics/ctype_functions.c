/* Classes and case of characters in the C locale. */
#include "observe.h"
#include <ctype.h>

static unsigned classes(int c)
{
    return !!isalpha(c) | !!isdigit(c) << 1 | !!isalnum(c) << 2 | !!isspace(c) << 3 | !!isupper(c) << 4
        | !!islower(c) << 5 | !!ispunct(c) << 6 | !!isprint(c) << 7 | !!iscntrl(c) << 8 | !!isxdigit(c) << 9
        | !!isgraph(c) << 10 | !!isblank(c) << 11;
}

int main(void)
{
    int tests[] = { 'a', 'Z', '0', ' ', '\t', '\n', '!', '~', 127, 'g', 'F', 0, 200, -1 }, count = 0, i;
    for (i = 0; i < 14; i++)
        OBSERVE(classes(tests[i]));
    for (i = 0; i < 128; i++)
        count += !!isalnum(i) + !!ispunct(i) * 1000;
    OBSERVE(count);
    OBSERVE(toupper('q'));
    OBSERVE(tolower('Q'));
    OBSERVE(toupper('5') + tolower('!'));
    return 0;
}

/* Labels, tags, members and variables have name spaces of their own. */
#include "observe.h"

struct name { int name; };
static int function(void) { int function = 4; return function; }

int main(void)
{
    struct name name = { 5 };
    struct other { struct name name; int other; } other = { { 6 }, 7 };
    goto name;
    name.name = 0;
name:
    OBSERVE(name.name);
    OBSERVE(other.name.name);
    OBSERVE(other.other);
    OBSERVE(function());
    {
        union name { char c[9]; };
        enum other { first = 3 } main = first;
        OBSERVE(sizeof(union name));
        OBSERVE(main);
    }
    OBSERVE(sizeof(struct name));
    return 0;
}

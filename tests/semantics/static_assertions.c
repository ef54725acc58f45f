/* _Static_assert checks and leaves no code. */
#include "observe.h"
#include <assert.h>

_Static_assert(sizeof(int) == 4, "int");
_Static_assert(-1 < 0 && (unsigned char)-1 == 255, "conversions");
struct s { int a; _Static_assert(1, "in a struct"); char b; };
enum { N = 4 };

int main(void)
{
    _Static_assert(N * 2 == 8, "enumerators");
    static_assert(sizeof(struct s) == 8, "macro");
    int i;
    assert(N == 4);
    for (i = 0; i < N; i++) {
        _Static_assert(sizeof i == sizeof(int), "in a loop");
        assert(i >= 0 && "in range");
        OBSERVE(i);
    }
    OBSERVE(sizeof(struct s));
    return 0;
}

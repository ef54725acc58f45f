/* The class of an expression's type, and the alignment of functions. */
#include "observe.h"

struct pair { int a, b; };
union either { int a; float b; };
enum color { RED };

static void plain(void) {}
static void aligned(void) __attribute__((aligned(64)));
static void aligned(void) {}

int main(void)
{
    struct pair p = {1, 2};
    union either e = {1};
    int n = 3, array[4] = {0};
    enum color c = RED;
    OBSERVE(__builtin_classify_type(n));
    OBSERVE(__builtin_classify_type((char)n));
    OBSERVE(__builtin_classify_type((_Bool)n));
    OBSERVE(__builtin_classify_type(2.0f));
    OBSERVE(__builtin_classify_type(&n));
    OBSERVE(__builtin_classify_type(array));
    OBSERVE(__builtin_classify_type(main));
    OBSERVE(__builtin_classify_type(p));
    OBSERVE(__builtin_classify_type(e));
    OBSERVE(__builtin_classify_type(c));
    OBSERVE(__builtin_classify_type(n++));
    OBSERVE(n);
    OBSERVE(__alignof__(aligned));
    OBSERVE(__alignof__(plain));
    return 0;
}

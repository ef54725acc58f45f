/* Attributes that do not change what a program computes. */
#include "observe.h"

static int a __attribute__((unused)) = 1, b __attribute__((aligned(16))) = 2;
__attribute__((pure)) static int add(int x, int y) { return x + y; }
static int sub(int x, int y) __attribute__((const, warn_unused_result));
static int sub(int x, int y) { return x - y; }
static void never(void) __attribute__((noreturn));
static void never(void) { for (;;) ; }
extern int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct __attribute__((may_alias)) s { int x __attribute__((deprecated)); };
typedef int number __attribute__((unused));
static int cleaned;
static void clean(int *p) { cleaned += *p; }

int main(void)
{
    number n __attribute__((unused)) = 3;
    struct s s = { 4 };
    OBSERVE(a + b);
    OBSERVE(add(2, 3));
    OBSERVE(sub(2, 3));
    OBSERVE(n + s.x);
    switch (n) {
    case 3:
        n++;
        __attribute__((fallthrough));
    case 9:
        n++;
    }
    OBSERVE(n);
    if (__builtin_expect(n == 0, 0))
        never();
    OBSERVE(__extension__ 5);
    return 0;
}

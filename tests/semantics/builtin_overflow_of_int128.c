/* Checks for overflow of numbers with 128 bits. */
#include "observe.h"

#ifdef __SIZEOF_INT128__
typedef __int128 wide;
typedef unsigned __int128 word;

#define BOTH(...) do { __VA_ARGS__ } while (0)
#define CHECK(operation, left, right, type) \
    BOTH(type result_ = 5; OBSERVE(__builtin_##operation##_overflow(left, right, &result_)); \
         OBSERVE(result_); OBSERVE((word)result_ >> 64); \
         OBSERVE(__builtin_##operation##_overflow_p(left, right, (type)0));)
#define TYPES(operation, left, right) \
    CHECK(operation, left, right, wide); CHECK(operation, left, right, word); \
    CHECK(operation, left, right, int); CHECK(operation, left, right, unsigned long)
#define OPERATIONS(left, right) \
    TYPES(add, left, right); TYPES(sub, left, right); TYPES(mul, left, right)

static void all(wide a, word b)
{
    OPERATIONS(a, b);
    OPERATIONS(b, a);
}
#endif

int main(void)
{
#ifdef __SIZEOF_INT128__
    wide largest = (wide)(~(word)0 >> 1);
    all(-1, ~(word)0);
    all(-largest - 1, (word)1 << 127);
    all(largest, 3);
    all(-7, 0);
    all((wide)1 << 64, (word)1 << 63);
    OPERATIONS(-largest - 1, -largest - 1);
    OPERATIONS((wide)-3, (wide)5);
    OPERATIONS(largest, (signed char)-1);
#endif
    OBSERVE(sizeof(long));
    return 0;
}

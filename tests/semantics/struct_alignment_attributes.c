/* aligned and _Alignas raise the alignment of members and objects. */
#include "observe.h"
#include <stddef.h>
#include <stdint.h>

struct a { char c; int i __attribute__((aligned(16))); };
struct b { char c; _Alignas(8) short s; char d; };
typedef int aligned_int __attribute__((aligned(32)));
struct __attribute__((aligned(64))) c { char c; };

int main(void)
{
    aligned_int object;
    _Alignas(128) char buffer[3];
    struct c array[2];
    OBSERVE(sizeof(struct a));
    OBSERVE(offsetof(struct a, i));
    OBSERVE(sizeof(struct b));
    OBSERVE(offsetof(struct b, d));
    OBSERVE(_Alignof(struct a));
    OBSERVE(_Alignof(aligned_int));
    OBSERVE((uintptr_t)&object % 32);
    OBSERVE((uintptr_t)buffer % 128);
    OBSERVE(sizeof(struct c));
    OBSERVE((char *)&array[1] - (char *)&array[0]);
    OBSERVE(__alignof__(object));
    return 0;
}

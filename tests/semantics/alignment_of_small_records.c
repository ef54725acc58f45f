/* In 32-bit code, a struct or union that gcc takes as a scalar of eight bytes is aligned to four as a member, though what is
 * in it is aligned to eight: all in it must be of a scalar's size, and nobody may have asked for an alignment. */
#include <stddef.h>
#include "observe.h"

typedef long long aligned_long_long __attribute__((aligned(8)));

struct single { _Atomic long long y; };
struct nested { struct single a; };
struct pair { _Atomic struct { int a, b; } y; };
struct by_type { aligned_long_long y; };
struct by_member { long long y __attribute__((aligned(8))); };
struct by_record { int a, b; } __attribute__((aligned(8)));
struct to_less { _Atomic long long y; } __attribute__((aligned(4)));
struct in_another { struct by_record c; };
struct open { _Atomic long long y; char end[]; };
struct empty_array { _Atomic long long y; char end[0]; };
struct empty_struct { _Atomic long long y; struct { } e; };
struct floating { _Atomic double y; };
union three_members { _Atomic long long y; struct { char a, b, c; } s; };
union four_bytes { _Atomic long long y; struct { char a, b; short c; } s; };
union three_bytes { _Atomic long long y; char c[3]; };
union hidden_three { _Atomic long long y; struct { char c[3]; char d; } s; };
union bit_field { _Atomic long long y; long long b : 3; };
union complex_float { _Atomic long long y; _Complex float c; };
union long_double { _Atomic long long y; long double c; };
union square { _Atomic long long y; char c[2][2]; };
union oblong { _Atomic long long y; char c[2][3]; };
union structs { _Atomic long long y; struct { char c; } s[3]; };

#define OBSERVE(kind, name) \
    do { \
        struct around { char c; kind name m; } around; \
        kind name alone; \
        observe_value(offsetof(struct around, m) + 100 * sizeof(struct around)); \
        observe_value(_Alignof(struct around) + 100 * _Alignof(kind name)); \
        observe_value(__alignof__(around.m) + 100 * __alignof__(kind name) + 10000 * __alignof__(alone)); \
    } while (0)

int main(void)
{
    OBSERVE(struct, single);
    OBSERVE(struct, nested);
    OBSERVE(struct, pair);
    OBSERVE(struct, by_type);
    OBSERVE(struct, by_member);
    OBSERVE(struct, by_record);
    OBSERVE(struct, to_less);
    OBSERVE(struct, in_another);
    OBSERVE(struct, open);
    OBSERVE(struct, empty_array);
    OBSERVE(struct, empty_struct);
    OBSERVE(struct, floating);
    OBSERVE(union, three_members);
    OBSERVE(union, four_bytes);
    OBSERVE(union, three_bytes);
    OBSERVE(union, hidden_three);
    OBSERVE(union, bit_field);
    OBSERVE(union, complex_float);
    OBSERVE(union, long_double);
    OBSERVE(union, square);
    OBSERVE(union, oblong);
    OBSERVE(union, structs);
    typedef struct single single;
    observe_value(_Alignof(single) + 100 * __alignof__(single));
    return 0;
}

/* _Alignof; on ILP32 long long and double inside structs are aligned to 4. */
#include "observe.h"
#include <stddef.h>

struct ll { char c; long long l; };
struct d { char c; double d; };
struct ld { char c; long double l; };
struct p { char c; char *p; };
struct a { char c; short v[3]; };
struct e { };

int main(void)
{
    long long object;
    OBSERVE(_Alignof(char));
    OBSERVE(_Alignof(short));
    OBSERVE(_Alignof(int));
    OBSERVE(_Alignof(long));
    OBSERVE(_Alignof(float));
    OBSERVE(_Alignof(void *));
    OBSERVE(_Alignof(long double));
    OBSERVE(_Alignof(struct ll));
    OBSERVE(_Alignof(struct d));
    OBSERVE(_Alignof(struct a));
    OBSERVE(_Alignof(int[10]));
    OBSERVE(_Alignof(struct e));
    OBSERVE(offsetof(struct ll, l));
    OBSERVE(offsetof(struct d, d));
    OBSERVE(offsetof(struct ld, l));
    OBSERVE(offsetof(struct p, p));
    OBSERVE(_Alignof(long long));
    OBSERVE(_Alignof(double));
    OBSERVE(__alignof__(object));
    OBSERVE(__alignof__(struct ll));
    return 0;
}

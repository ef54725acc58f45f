/* The result has the common type of both branches. */
#include "observe.h"

int main(void)
{
    int one = 1, i = -1, v[2] = { 3, 4 };
    unsigned u = 5;
    char c = 'c';
    const int *cp = v;
    void *vp = v;
    OBSERVE((one ? i : u) > 0);
    OBSERVE((one ? i : 5) > 0);
    OBSERVE_DOUBLE(one ? i : 2.5);
    OBSERVE(sizeof(one ? c : c));
    OBSERVE(sizeof(one ? 1 : 1.0));
    OBSERVE((one ? i : 1ll));
    OBSERVE((unsigned char)(one ? i : 0));
    OBSERVE(*(one ? v + 1 : cp));
    OBSERVE((one ? vp : v) == v);
    OBSERVE((one ? 0 : v) == 0);
    OBSERVE(*(int *)(!one ? 0 : vp));
    OBSERVE((one ? i : u) / 2);
    OBSERVE(one ? (signed char)-1 : (unsigned char)1);
    OBSERVE((one ? -1 : 0ul) > 0);
    one ? (void)v[0]++ : (void)0;
    OBSERVE(v[0]);
    return 0;
}

/* a[i], i[a] and *(a + i) are the same. */
#include "observe.h"

int main(void)
{
    int a[6] = { 10, 11, 12, 13, 14, 15 }, *middle = a + 3;
    unsigned char i = 2;
    long long wide = 4;
    OBSERVE(a[3]);
    OBSERVE(3[a]);
    OBSERVE(*(3 + a));
    OBSERVE(middle[-2]);
    OBSERVE((-1)[middle]);
    OBSERVE(a[i]);
    OBSERVE(a[wide]);
    OBSERVE((a + 1)[i]);
    OBSERVE("hello"[1]);
    OBSERVE(2["xyz"]);
    OBSERVE(*&a[5]);
    OBSERVE(&a[5] - &a[1]);
    OBSERVE(a[a[0] - 9]);
    return 0;
}

/* += and -= on pointers. */
#include "observe.h"

int main(void)
{
    long long v[6] = { 1, 2, 3, 4, 5, 6 }, *p = v;
    char text[] = "abcdef", *t = text;
    unsigned char step = 2;
    int m[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, (*row)[2] = m;
    p += 4;
    OBSERVE(*p);
    p -= 2ll;
    OBSERVE(*p);
    p += -1;
    OBSERVE(*p);
    OBSERVE(*(p += step));
    t += step;
    OBSERVE(*t);
    *t += 1;
    *(t += 1) -= 32;
    OBSERVE(text[2]);
    OBSERVE(text[3]);
    row += 2;
    OBSERVE((*row)[0]);
    row -= 1;
    OBSERVE(row[0][1]);
    OBSERVE(p - v);
    return 0;
}

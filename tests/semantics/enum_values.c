/* Enumerators count on from the last value; they are ints. */
#include "observe.h"

enum a { A, B, C = 10, D, E = -5, F, G = C + D };
enum { FLAG = 1 << 4, MASK = FLAG - 1, SAME = FLAG };
enum b { X = 'x', Y = sizeof(int), Z = B ? 7 : 8 };

int main(void)
{
    enum a e = D;
    enum b x = 3;
    OBSERVE(A);
    OBSERVE(B);
    OBSERVE(D);
    OBSERVE(F);
    OBSERVE(G);
    OBSERVE(FLAG | MASK);
    OBSERVE(SAME);
    OBSERVE(X + Y * 1000 + Z);
    OBSERVE(e++);
    OBSERVE(e);
    OBSERVE(e == 12);
    OBSERVE(x);
    OBSERVE(sizeof(enum a));
    OBSERVE(sizeof A);
    e = E;
    OBSERVE(e < 0);
    OBSERVE(e + B);
    return 0;
}

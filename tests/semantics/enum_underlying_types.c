/* gcc: unsigned int unless a value is negative; wider if it must be. */
#include "observe.h"

enum positive { P = 1 };
enum negative { N = -1 };
enum large { L = 0x80000000u };
enum huge { H = 0x100000000ll };
enum __attribute__((packed)) tiny { T = 3 };

int main(void)
{
    enum positive p = P;
    enum negative n = N;
    enum large l = L;
    enum huge h = H;
    enum tiny t = T;
    p -= 2;
    OBSERVE(p < 0);
    OBSERVE(p);
    OBSERVE(p > 5);
    OBSERVE(n < 0);
    OBSERVE(n);
    OBSERVE(l > 0);
    OBSERVE(l);
    OBSERVE(sizeof l);
    OBSERVE(sizeof h);
    OBSERVE(h + 1);
    OBSERVE(sizeof t);
    OBSERVE(t);
    OBSERVE(-P < 0);
    OBSERVE(-p > 0);
    return 0;
}

/* Old C: an undeclared function returns int and takes what it gets. */
#include "observe.h"

int main(void)
{
    char c = -2;
    OBSERVE(later(3, 4));
    OBSERVE(promoted(c, 1.5f));
    OBSERVE(unknown_arguments() + 1);
    OBSERVE(-negative() / 2);
    OBSERVE(sizeof(later(1, 2)));
    OBSERVE(abs(-6));
    return 0;
}

int later(int a, int b) { return a * 10 + b; }
int promoted(int c, double d) { return c * (int)(d * 4); }
int unknown_arguments() { return 41; }
int negative() { return -9; }

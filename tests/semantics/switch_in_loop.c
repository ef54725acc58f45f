/* In a switch in a loop, break leaves the switch and continue the round. */
#include "observe.h"

int main(void)
{
    int i, a = 0, b = 0, c = 0;
    for (i = 0; i < 10; i++) {
        switch (i % 4) {
        case 0: continue;
        case 1: a++; break;
        case 2:
            while (1) {
                b++;
                if (b % 3 == 0)
                    break;
            }
        default: c += i;
        }
        a += 10;
    }
    OBSERVE(a);
    OBSERVE(b);
    OBSERVE(c);
    OBSERVE(i);
    do {
        switch (i--) {
        case 7: goto out;
        case 9: continue;
        }
        a++;
    } while (i);
out:
    OBSERVE(a);
    OBSERVE(i);
    return 0;
}

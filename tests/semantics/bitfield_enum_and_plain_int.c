/* A plain int field is signed; an enum without negative values is not. */
#include "observe.h"

enum colour { RED, GREEN, BLUE, WHITE };
enum signed_colour { INFRARED = -1, VISIBLE };
struct s { enum colour c : 2; enum signed_colour e : 2; int i : 2; long l : 3; };

int main(void)
{
    struct s s;
    s.c = WHITE;
    OBSERVE(s.c);
    OBSERVE(s.c == WHITE);
    s.c = BLUE;
    OBSERVE(s.c > GREEN);
    s.e = INFRARED;
    OBSERVE(s.e);
    OBSERVE(s.e == INFRARED);
    s.i = 3;
    OBSERVE(s.i);
    s.l = 7;
    OBSERVE(s.l);
    s.l = 3;
    OBSERVE(s.l);
    return 0;
}

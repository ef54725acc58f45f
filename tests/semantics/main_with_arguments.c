/* main may fall off its end. */
#include "observe.h"

static void nothing(void) { return; }
static void early(int n) { if (n) { OBSERVE(n); return; } OBSERVE(100); }

int main(int argc, char **argv)
{
    (void)argv;
    nothing();
    early(0);
    early(1);
    OBSERVE(argc * 0 + 7);
    OBSERVE(sizeof argv == sizeof(char **));
    {
        int r = 5;
        OBSERVE(r);
    }
}

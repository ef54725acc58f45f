/* abs, labs, llabs, atoi, atol, strtol, strtoul. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    char *end;
    const char *text = "  -123abc", *hex = "0x1Fz";
    OBSERVE(abs(-5));
    OBSERVE(abs(7));
    OBSERVE(labs(-100000l));
    OBSERVE(llabs(-10000000000ll));
    OBSERVE(atoi("42"));
    OBSERVE(atoi("  -17xyz"));
    OBSERVE(atoi("x"));
    OBSERVE(atol("+99"));
    OBSERVE(strtol(text, &end, 10));
    OBSERVE(end - text);
    OBSERVE(strtol(hex, &end, 16));
    OBSERVE(end - hex);
    OBSERVE(strtol("0x10", NULL, 0));
    OBSERVE(strtol("010", NULL, 0));
    OBSERVE(strtol("z", NULL, 36));
    OBSERVE(strtoul("4294967295", NULL, 10));
    OBSERVE(strtol("-101", NULL, 2));
    return 0;
}

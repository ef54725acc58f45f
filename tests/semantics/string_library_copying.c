/* strcpy, strncpy, strcat, strncat, strlen. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char a[32], b[8] = "1234567", c[16];
    OBSERVE(strcpy(a, "hello") == a);
    OBSERVE(strlen(a));
    strcat(a, " there");
    OBSERVE(strlen(a));
    OBSERVE(a[6]);
    strncpy(b, "ab", 5);
    OBSERVE(b[1]);
    OBSERVE(b[4]);
    OBSERVE(b[5]);
    strncpy(b, "uvwxyz", 3);
    OBSERVE(b[2]);
    OBSERVE(b[3]);
    strncat(strcpy(c, "12"), "345", 2);
    OBSERVE(strlen(c));
    OBSERVE(c[3]);
    strcpy(a + 5, "!");
    OBSERVE(strlen(a));
    OBSERVE(strnlen("abcdef", 3));
    return 0;
}

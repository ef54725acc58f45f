/* The functions that fortified headers call. */
#include "observe.h"
#include <stddef.h>

extern int __sprintf_chk(char *, int, size_t, const char *, ...);
extern int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);

int main(void)
{
    char b[16], d[16];
    __builtin___memset_chk(b, 0, sizeof b, sizeof b);
    __builtin___strcpy_chk(b, "abc", sizeof b);
    __builtin___strcat_chk(b, "de", sizeof b);
    __builtin___memcpy_chk(d, b, 6, sizeof d);
    for (int i = 0; i < 6; i++)
        OBSERVE((unsigned char)d[i]);
    OBSERVE((unsigned)__sprintf_chk(b, 1, sizeof b, "%d", 123));
    OBSERVE((unsigned)__snprintf_chk(d, 3, 1, sizeof d, "%s", "xyz"));
    OBSERVE((unsigned char)b[2]);
    OBSERVE((unsigned char)d[2]);
    return 0;
}

/* Numbers that are scanned and do not fit: cut off by the functions that convert text, and then to the type. */
#include "observe.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCAN(type, format, text)                                                                                       \
    {                                                                                                                  \
        type value = 77;                                                                                               \
        errno = 0;                                                                                                     \
        OBSERVE((unsigned)sscanf(text, format, &value));                                                               \
        OBSERVE((long long)value);                                                                                     \
        OBSERVE((unsigned)errno);                                                                                      \
    }

#define SCAN_ALL(text)                                                                                                 \
    SCAN(signed char, "%hhd", text)                                                                                    \
    SCAN(unsigned char, "%hhu", text)                                                                                  \
    SCAN(short, "%hd", text)                                                                                           \
    SCAN(unsigned short, "%hu", text)                                                                                  \
    SCAN(int, "%d", text)                                                                                              \
    SCAN(unsigned, "%u", text)                                                                                         \
    SCAN(int, "%i", text)                                                                                              \
    SCAN(long, "%ld", text)                                                                                            \
    SCAN(unsigned long, "%lu", text)                                                                                   \
    SCAN(long long, "%lld", text)                                                                                      \
    SCAN(unsigned long long, "%llu", text)                                                                             \
    SCAN(intmax_t, "%jd", text)                                                                                        \
    SCAN(size_t, "%zu", text)                                                                                          \
    SCAN(ptrdiff_t, "%td", text)

int main(void)
{
    SCAN_ALL("2147483648")
    SCAN_ALL("-2147483649")
    SCAN_ALL("4294967296")
    SCAN_ALL("-4294967297")
    SCAN_ALL("9223372036854775808")
    SCAN_ALL("-9223372036854775809")
    SCAN_ALL("18446744073709551616")
    SCAN_ALL("-18446744073709551617")
    SCAN(unsigned, "%x", "fffffffff")
    SCAN(unsigned long long, "%llx", "-0xffffffffffffffffff")
    SCAN(unsigned, "%o", "77777777777")
    SCAN(int, "%i", "-0x80000001")
    SCAN(int, "%3d", "-12345")
    SCAN(int, "%i", "09")
    return 0;
}

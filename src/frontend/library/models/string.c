/* <string.h> and <strings.h>: strings, in the C locale. */

__regatta_size_t strlen(const char *s)
{
    __regatta_size_t n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

__regatta_size_t strnlen(const char *s, __regatta_size_t limit)
{
    __regatta_size_t n = 0;
    while (n < limit && s[n] != 0)
        n++;
    return n;
}

char *strcpy(char *to, const char *from)
{
    __regatta_size_t i = 0;
    while (from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    to[i] = 0;
    return to;
}

char *stpcpy(char *to, const char *from)
{
    while (*from != 0)
        *to++ = *from++;
    *to = 0;
    return to;
}

char *strncpy(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t i = 0;
    while (i < size && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    while (i < size) {
        to[i] = 0;
        i++;
    }
    return to;
}

char *stpncpy(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t length = strnlen(from, size);
    strncpy(to, from, size);
    return to + length;
}

__regatta_size_t strlcpy(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t length = strlen(from);
    if (size > 0) {
        __regatta_size_t i = 0;
        while (i < size - 1 && from[i] != 0) {
            to[i] = from[i];
            i++;
        }
        to[i] = 0;
    }
    return length;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t end = strlen(to);
    __regatta_size_t i = 0;
    while (i < size && from[i] != 0) {
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    return to;
}

__regatta_size_t strlcat(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t end = strnlen(to, size);
    if (end == size)
        return end + strlen(from);
    return end + strlcpy(to + end, from, size - end);
}

/* Only the sign of a comparison's result is specified: glibc gives a difference, or 1. */
static int __regatta_order(int difference)
{
    if (difference >= -1 && difference <= 1)
        return difference;
    if (__VERIFIER_nondet_bool())
        return difference;
    return difference < 0 ? -1 : 1;
}

int strcmp(const char *left, const char *right)
{
    __regatta_size_t i = 0;
    while (left[i] != 0 && left[i] == right[i])
        i++;
    return __regatta_order((unsigned char)left[i] - (unsigned char)right[i]);
}

int strncmp(const char *left, const char *right, __regatta_size_t size)
{
    for (__regatta_size_t i = 0; i < size; i++) {
        if (left[i] != right[i] || left[i] == 0)
            return __regatta_order((unsigned char)left[i] - (unsigned char)right[i]);
    }
    return 0;
}

int strcoll(const char *left, const char *right)
{
    return __regatta_locale ? __regatta_unknown_int() : strcmp(left, right);
}

/* In the C locale, it copies; a truncated result has no terminating zero. */
__regatta_size_t strxfrm(char *to, const char *from, __regatta_size_t size)
{
    __regatta_size_t length = strlen(from);
    if (__regatta_locale)
        __regatta_unsupported("strxfrm in another locale");
    for (__regatta_size_t i = 0; i < size && i <= length; i++)
        to[i] = from[i];
    return length;
}

/* Numbers within the strings are compared by their values. */
int strverscmp(const char *left, const char *right)
{
    if (strcmp(left, right) == 0)
        return 0;
    int order = __regatta_unknown_int();
    __VERIFIER_assume(order != 0);
    return order;
}

int strcasecmp(const char *left, const char *right)
{
    for (__regatta_size_t i = 0;; i++) {
        int a = tolower((unsigned char)left[i]);
        int b = tolower((unsigned char)right[i]);
        if (a != b || a == 0)
            return __regatta_order(a - b);
    }
}

int strncasecmp(const char *left, const char *right, __regatta_size_t size)
{
    for (__regatta_size_t i = 0; i < size; i++) {
        int a = tolower((unsigned char)left[i]);
        int b = tolower((unsigned char)right[i]);
        if (a != b || a == 0)
            return __regatta_order(a - b);
    }
    return 0;
}

char *strchr(const char *s, int character)
{
    while (*s != (char)character) {
        if (*s == 0)
            return 0;
        s++;
    }
    return (char *)s;
}

char *index(const char *s, int character)
{
    return strchr(s, character);
}

char *strchrnul(const char *s, int character)
{
    while (*s != 0 && *s != (char)character)
        s++;
    return (char *)s;
}

char *strrchr(const char *s, int character)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)character)
            found = s;
        if (*s == 0)
            return (char *)found;
    }
}

char *rindex(const char *s, int character)
{
    return strrchr(s, character);
}

__regatta_size_t strspn(const char *s, const char *accepted)
{
    __regatta_size_t n = 0;
    while (s[n] != 0) {
        __regatta_size_t i = 0;
        while (accepted[i] != 0 && accepted[i] != s[n])
            i++;
        if (accepted[i] == 0)
            break;
        n++;
    }
    return n;
}

__regatta_size_t strcspn(const char *s, const char *rejected)
{
    __regatta_size_t n = 0;
    while (s[n] != 0) {
        __regatta_size_t i = 0;
        while (rejected[i] != 0 && rejected[i] != s[n])
            i++;
        if (rejected[i] != 0)
            break;
        n++;
    }
    return n;
}

char *strpbrk(const char *s, const char *wanted)
{
    s += strcspn(s, wanted);
    return *s != 0 ? (char *)s : 0;
}

char *strstr(const char *s, const char *wanted)
{
    for (;; s++) {
        __regatta_size_t i = 0;
        while (wanted[i] != 0 && s[i] == wanted[i])
            i++;
        if (wanted[i] == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
    }
}

char *strcasestr(const char *s, const char *wanted)
{
    for (;; s++) {
        __regatta_size_t i = 0;
        while (wanted[i] != 0 && tolower((unsigned char)s[i]) == tolower((unsigned char)wanted[i]))
            i++;
        if (wanted[i] == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
    }
}

char *strtok_r(char *s, const char *separators, char **rest)
{
    if (s == 0)
        s = *rest;
    if (*s == 0) {
        *rest = s;
        return 0;
    }
    s += strspn(s, separators);
    if (*s == 0) {
        *rest = s;
        return 0;
    }
    char *end = s + strcspn(s, separators);
    if (*end == 0) {
        *rest = end;
        return s;
    }
    *end = 0;
    *rest = end + 1;
    return s;
}

char *__strtok_r(char *s, const char *separators, char **rest)
{
    return strtok_r(s, separators, rest);
}

static char *__regatta_strtok_rest;

char *strtok(char *s, const char *separators)
{
    return strtok_r(s, separators, &__regatta_strtok_rest);
}

char *strsep(char **s, const char *separators)
{
    char *start = *s;
    if (start == 0)
        return 0;
    char *end = start + strcspn(start, separators);
    if (*end == 0) {
        *s = 0;
    } else {
        *end = 0;
        *s = end + 1;
    }
    return start;
}

char *strdup(const char *s)
{
    __regatta_size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    if (copy != 0)
        memcpy(copy, s, size);
    return copy;
}

char *__strdup(const char *s)
{
    return strdup(s);
}

char *strndup(const char *s, __regatta_size_t limit)
{
    __regatta_size_t size = strnlen(s, limit);
    char *copy = malloc(size + 1);
    if (copy != 0) {
        memcpy(copy, s, size);
        copy[size] = 0;
    }
    return copy;
}

/* Swaps pairs of bytes; an odd last byte is not copied. */
void swab(const void *from, void *to, long size)
{
    const char *source = from;
    char *target = to;
    for (long i = 0; i + 1 < size; i += 2) {
        char byte = source[i];
        target[i] = source[i + 1];
        target[i + 1] = byte;
    }
}

int ffs(int value)
{
    return value == 0 ? 0 : __builtin_ctz((unsigned)value) + 1;
}

int ffsl(long value)
{
    return value == 0 ? 0 : __builtin_ctzl((unsigned long)value) + 1;
}

int ffsll(long long value)
{
    return value == 0 ? 0 : __builtin_ctzll((unsigned long long)value) + 1;
}

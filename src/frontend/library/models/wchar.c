/* <wchar.h>: strings of wide characters, and blocks of them. */

__regatta_size_t wcslen(const __regatta_wchar_t *s)
{
    __regatta_size_t n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

__regatta_size_t wcsnlen(const __regatta_wchar_t *s, __regatta_size_t limit)
{
    __regatta_size_t n = 0;
    while (n < limit && s[n] != 0)
        n++;
    return n;
}

__regatta_wchar_t *wmemcpy(__regatta_wchar_t *to, const __regatta_wchar_t *from, __regatta_size_t count)
{
    for (__regatta_size_t i = 0; i < count; i++)
        to[i] = from[i];
    return to;
}

__regatta_wchar_t *wmemmove(__regatta_wchar_t *to, const __regatta_wchar_t *from, __regatta_size_t count)
{
    if (to < from) {
        for (__regatta_size_t i = 0; i < count; i++)
            to[i] = from[i];
    } else {
        for (__regatta_size_t i = count; i > 0; i--)
            to[i - 1] = from[i - 1];
    }
    return to;
}

__regatta_wchar_t *wmemset(__regatta_wchar_t *to, __regatta_wchar_t character, __regatta_size_t count)
{
    for (__regatta_size_t i = 0; i < count; i++)
        to[i] = character;
    return to;
}

int wmemcmp(const __regatta_wchar_t *left, const __regatta_wchar_t *right, __regatta_size_t count)
{
    for (__regatta_size_t i = 0; i < count; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

__regatta_wchar_t *wmemchr(const __regatta_wchar_t *block, __regatta_wchar_t character, __regatta_size_t count)
{
    for (__regatta_size_t i = 0; i < count; i++) {
        if (block[i] == character)
            return (__regatta_wchar_t *)(block + i);
    }
    return 0;
}

__regatta_wchar_t *wcscpy(__regatta_wchar_t *to, const __regatta_wchar_t *from)
{
    __regatta_size_t i = 0;
    while (from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    to[i] = 0;
    return to;
}

__regatta_wchar_t *wcsncpy(__regatta_wchar_t *to, const __regatta_wchar_t *from, __regatta_size_t count)
{
    __regatta_size_t i = 0;
    while (i < count && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    while (i < count) {
        to[i] = 0;
        i++;
    }
    return to;
}

__regatta_wchar_t *wcscat(__regatta_wchar_t *to, const __regatta_wchar_t *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

__regatta_wchar_t *wcsncat(__regatta_wchar_t *to, const __regatta_wchar_t *from, __regatta_size_t count)
{
    __regatta_size_t length = wcsnlen(from, count);
    __regatta_wchar_t *end = to + wcslen(to);
    wmemcpy(end, from, length);
    end[length] = 0;
    return to;
}

int wcscmp(const __regatta_wchar_t *left, const __regatta_wchar_t *right)
{
    __regatta_size_t i = 0;
    while (left[i] != 0 && left[i] == right[i])
        i++;
    return left[i] < right[i] ? -1 : left[i] > right[i];
}

int wcsncmp(const __regatta_wchar_t *left, const __regatta_wchar_t *right, __regatta_size_t count)
{
    for (__regatta_size_t i = 0; i < count; i++) {
        if (left[i] != right[i] || left[i] == 0)
            return left[i] < right[i] ? -1 : left[i] > right[i];
    }
    return 0;
}

__regatta_wchar_t *wcschr(const __regatta_wchar_t *s, __regatta_wchar_t character)
{
    while (*s != character) {
        if (*s == 0)
            return 0;
        s++;
    }
    return (__regatta_wchar_t *)s;
}

__regatta_wchar_t *wcsrchr(const __regatta_wchar_t *s, __regatta_wchar_t character)
{
    const __regatta_wchar_t *found = 0;
    for (;; s++) {
        if (*s == character)
            found = s;
        if (*s == 0)
            return (__regatta_wchar_t *)found;
    }
}

__regatta_wchar_t *wcsstr(const __regatta_wchar_t *s, const __regatta_wchar_t *wanted)
{
    for (;; s++) {
        __regatta_size_t i = 0;
        while (wanted[i] != 0 && s[i] == wanted[i])
            i++;
        if (wanted[i] == 0)
            return (__regatta_wchar_t *)s;
        if (*s == 0)
            return 0;
    }
}

__regatta_wchar_t *wcsdup(const __regatta_wchar_t *s)
{
    __regatta_size_t count = wcslen(s) + 1;
    __regatta_wchar_t *copy = malloc(count * sizeof(__regatta_wchar_t));
    if (copy != 0)
        wmemcpy(copy, s, count);
    return copy;
}

/* <ctype.h> in the C locale: what is no ASCII belongs to no class. The results for characters that are in a class are
   glibc's: the bit by which its table marks it. */

int isupper(int c)
{
    return c >= 'A' && c <= 'Z' ? 1 << 8 : 0;
}

int islower(int c)
{
    return c >= 'a' && c <= 'z' ? 1 << 9 : 0;
}

int isalpha(int c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1 << 10 : 0;
}

int isdigit(int c)
{
    return c >= '0' && c <= '9' ? 1 << 11 : 0;
}

int isxdigit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? 1 << 12 : 0;
}

int isspace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') ? 1 << 13 : 0;
}

int isprint(int c)
{
    return c >= ' ' && c <= '~' ? 1 << 14 : 0;
}

int isgraph(int c)
{
    return c > ' ' && c <= '~' ? 1 << 15 : 0;
}

int isblank(int c)
{
    return c == ' ' || c == '\t' ? 1 << 0 : 0;
}

int iscntrl(int c)
{
    return (c >= 0 && c < ' ') || c == 127 ? 1 << 1 : 0;
}

int isalnum(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1 << 3 : 0;
}

int ispunct(int c)
{
    return c > ' ' && c <= '~' && isalnum(c) == 0 ? 1 << 2 : 0;
}

int isascii(int c)
{
    return (c & ~127) == 0;
}

int toascii(int c)
{
    return c & 127;
}

/* Negative characters but EOF are taken for the unsigned ones, as in glibc's tables. */
int __regatta_ctype_tolower(int c)
{
    if (c >= -128 && c <= -2)
        return c + 256;
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int __regatta_ctype_toupper(int c)
{
    if (c >= -128 && c <= -2)
        return c + 256;
    return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

int tolower(int c)
{
    return __regatta_ctype_tolower(c);
}

int toupper(int c)
{
    return __regatta_ctype_toupper(c);
}

int _tolower(int c)
{
    return tolower(c);
}

int _toupper(int c)
{
    return toupper(c);
}

/* `(*__ctype_b_loc())[c]`, which glibc's macros come to, is rewritten to a call of this function. */
unsigned short __regatta_ctype_b(int c)
{
    return (unsigned short)(isupper(c) | islower(c) | isalpha(c) | isdigit(c) | isxdigit(c) | isspace(c) | isprint(c)
                            | isgraph(c) | isblank(c) | iscntrl(c) | ispunct(c) | isalnum(c));
}

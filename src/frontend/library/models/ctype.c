/* <ctype.h>: in the C locale, characters outside of ASCII belong to no class. The result for a character in a class is
   the class's bit in glibc's table. */

/* Whether a locale other than C may be in use. */

static _Bool __regatta_locale;

/* The classes of the characters from 128 on in that locale: 0 none, 1 control, 2 space, 3 punctuation, 4 a letter
   without case, 5 upper case, 6 lower case, 7 not printable; other values count as 0. */

static unsigned char __regatta_classes[128];

/* The available locales are not known: the classes of characters are inputs. */
char *setlocale(int category, const char *name)
{
    if (category < 0 || category > 12) {
        *__errno_location() = 22; /* EINVAL */
        return 0;
    }
    if (name == 0)
        return __regatta_locale ? __regatta_input_string() : "C";
    if ((name[0] == 'C' && name[1] == 0) || strcmp(name, "POSIX") == 0) {
        __regatta_locale = __regatta_locale && category != 6; /* LC_ALL */
        return "C";
    }
    if (__VERIFIER_nondet_bool())
        return 0;
    if (__regatta_locale)
        __regatta_only_perhaps();
    __regatta_locale = 1;
    __VERIFIER_nondet_memory(__regatta_classes, sizeof(__regatta_classes));
    return __regatta_input_string();
}

/* The class of a character that has no class in the C locale. */
static int __regatta_class(int c)
{
    if (!__regatta_locale || c < -128 || c > 255 || (c >= -1 && c < 128))
        return 0;
    int class = __regatta_classes[c < 0 ? c + 128 : c - 128];
    return class > 7 ? 0 : class;
}

int isupper(int c)
{
    int class = __regatta_class(c);
    return (c >= 'A' && c <= 'Z') || (class == 5) ? 1 << 8 : 0;
}

int islower(int c)
{
    int class = __regatta_class(c);
    return (c >= 'a' && c <= 'z') || (class == 6) ? 1 << 9 : 0;
}

int isalpha(int c)
{
    int class = __regatta_class(c);
    return ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) || (class >= 4 && class <= 6) ? 1 << 10 : 0;
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
    int class = __regatta_class(c);
    return (c == ' ' || (c >= '\t' && c <= '\r')) || (class == 2) ? 1 << 13 : 0;
}

int isprint(int c)
{
    int class = __regatta_class(c);
    return (c >= ' ' && c <= '~') || (class >= 2 && class <= 6) ? 1 << 14 : 0;
}

int isgraph(int c)
{
    int class = __regatta_class(c);
    return (c > ' ' && c <= '~') || (class >= 3 && class <= 6) ? 1 << 15 : 0;
}

int isblank(int c)
{
    int class = __regatta_class(c);
    return (c == ' ' || c == '\t') || (class == 2) ? 1 << 0 : 0;
}

int iscntrl(int c)
{
    int class = __regatta_class(c);
    return ((c >= 0 && c < ' ') || c == 127) || (class == 1) ? 1 << 1 : 0;
}

int ispunct(int c)
{
    int class = __regatta_class(c);
    return (c > ' ' && c <= '~' && isalnum(c) == 0) || (class == 3) ? 1 << 2 : 0;
}

int isalnum(int c)
{
    int class = __regatta_class(c);
    return ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) || (class >= 4 && class <= 6)
               ? 1 << 3
               : 0;
}

int isascii(int c)
{
    return (c & ~127) == 0;
}

int toascii(int c)
{
    return c & 127;
}

/* Negative characters except EOF count as unsigned ones, as in glibc's tables. */
int __regatta_ctype_tolower(int c)
{
    if (__regatta_class(c) != 0) {
        int other = __regatta_unknown_int();
        __VERIFIER_assume(other >= 128 && other <= 255);
        return other;
    }
    if (c >= -128 && c <= -2)
        return c + 256;
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int __regatta_ctype_toupper(int c)
{
    if (__regatta_class(c) != 0) {
        int other = __regatta_unknown_int();
        __VERIFIER_assume(other >= 128 && other <= 255);
        return other;
    }
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

/* `(*__ctype_b_loc())[c]`, the expansion of glibc's macros, is rewritten to a call of this function. */
unsigned short __regatta_ctype_b(int c)
{
    return (unsigned short)(isupper(c) | islower(c) | isalpha(c) | isdigit(c) | isxdigit(c) | isspace(c) | isprint(c)
                            | isgraph(c) | isblank(c) | iscntrl(c) | ispunct(c) | isalnum(c));
}

/* Compares the prelude's definitions, which are compiled into the same program under names that begin with
   `model_`, with the C library's functions, on random and special arguments. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static unsigned long long state = 88172645463325252ULL;
static int failures;

static unsigned below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % limit;
}

static void check(int equal, const char *what, const char *a, const char *b)
{
    if (!equal && failures++ < 20)
        printf("%s differs on \"%s\", \"%s\"\n", what, a, b);
}

static void text(char *s, unsigned limit, const char *letters)
{
    unsigned length = below(limit);
    unsigned count = strlen(letters);
    for (unsigned i = 0; i < length; i++)
        s[i] = letters[below(count)];
    s[length] = 0;
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static long place(const void *base, const void *pointer)
{
    return pointer == 0 ? -1 : (const char *)pointer - (const char *)base;
}

#define SAME(name, left, right) check((left) == (right), name, a, b)

static void strings(void)
{
    char a[40], b[40], c[100], d[100];
    for (int round = 0; round < 20000; round++) {
        text(a, 12, "abAB\xe9 ");
        text(b, 5, "abAB\xe9 ");
        unsigned n = below(14);
        int letter = "abAB\xe9 \0x"[below(8)];
        SAME("strlen", model_strlen(a), strlen(a));
        SAME("strnlen", model_strnlen(a, n), strnlen(a, n));
        SAME("strcmp", sign(model_strcmp(a, b)), sign(strcmp(a, b)));
        SAME("strncmp", sign(model_strncmp(a, b, n)), sign(strncmp(a, b, n)));
        SAME("strcasecmp", sign(model_strcasecmp(a, b)), sign(strcasecmp(a, b)));
        SAME("strncasecmp", sign(model_strncasecmp(a, b, n)), sign(strncasecmp(a, b, n)));
        SAME("memcmp", sign(model_memcmp(a, b, strlen(b) + 1)), sign(memcmp(a, b, strlen(b) + 1)));
        SAME("strchr", place(a, model_strchr(a, letter)), place(a, strchr(a, letter)));
        SAME("strchrnul", place(a, model_strchrnul(a, letter)), place(a, strchrnul(a, letter)));
        SAME("strrchr", place(a, model_strrchr(a, letter)), place(a, strrchr(a, letter)));
        SAME("index", place(a, model_index(a, letter)), place(a, index(a, letter)));
        SAME("rindex", place(a, model_rindex(a, letter)), place(a, rindex(a, letter)));
        SAME("memchr", place(a, model_memchr(a, letter, strlen(a) + 1)), place(a, memchr(a, letter, strlen(a) + 1)));
        SAME("memrchr", place(a, model_memrchr(a, letter, strlen(a) + 1)), place(a, memrchr(a, letter, strlen(a) + 1)));
        SAME("strstr", place(a, model_strstr(a, b)), place(a, strstr(a, b)));
        SAME("strcasestr", place(a, model_strcasestr(a, b)), place(a, strcasestr(a, b)));
        SAME("memmem", place(a, model_memmem(a, strlen(a), b, strlen(b))), place(a, memmem(a, strlen(a), b, strlen(b))));
        SAME("strspn", model_strspn(a, b), strspn(a, b));
        SAME("strcspn", model_strcspn(a, b), strcspn(a, b));
        SAME("strpbrk", place(a, model_strpbrk(a, b)), place(a, strpbrk(a, b)));

#define INTO(name, call, model)                                                                                        \
    memset(c, 'x', sizeof c);                                                                                          \
    memset(d, 'x', sizeof d);                                                                                          \
    strcpy(c, b);                                                                                                      \
    strcpy(d, b);                                                                                                      \
    {                                                                                                                  \
        long left = place(c, call), right = place(d, model);                                                           \
        check(left == right && memcmp(c, d, sizeof c) == 0, name, a, b);                                               \
    }
        INTO("strcpy", strcpy(c, a), model_strcpy(d, a))
        INTO("stpcpy", stpcpy(c, a), model_stpcpy(d, a))
        INTO("strncpy", strncpy(c, a, n), model_strncpy(d, a, n))
        INTO("stpncpy", stpncpy(c, a, n), model_stpncpy(d, a, n))
        INTO("strcat", strcat(c, a), model_strcat(d, a))
        INTO("strncat", strncat(c, a, n), model_strncat(d, a, n))
        INTO("memccpy", memccpy(c, a, letter, strlen(a) + 1), model_memccpy(d, a, letter, strlen(a) + 1))
        INTO("mempcpy", mempcpy(c, a, n), model_mempcpy(d, a, n))
        INTO("memcpy", memcpy(c, a, n), model___regatta_memcpy(d, a, n))
        INTO("memmove", memmove(c + 3, c, n), model___regatta_memmove(d + 3, d, n))
        INTO("memmove", memmove(c, c + 2, n), model___regatta_memmove(d, d + 2, n))
        INTO("memset", memset(c, letter, n), model___regatta_memset(d, letter, n))

        char *rest = 0, *model_rest = 0;
        strcpy(c, a);
        strcpy(d, a);
        char *left = strtok_r(c, b, &rest), *right = model_strtok_r(d, b, &model_rest);
        for (int i = 0; i < 12; i++) {
            check(place(c, left) == place(d, right) && memcmp(c, d, strlen(a) + 1) == 0, "strtok_r", a, b);
            if (left == 0 || right == 0)
                break;
            left = strtok_r(0, b, &rest);
            right = model_strtok_r(0, b, &model_rest);
        }
        strcpy(c, a);
        strcpy(d, a);
        left = c;
        right = d;
        for (int i = 0; i < 12 && left != 0; i++) {
            char *x = strsep(&left, b), *y = model_strsep(&right, b);
            check(place(c, x) == place(d, y) && place(c, left) == place(d, right), "strsep", a, b);
        }
        char *copy = model_strdup(a);
        SAME("strdup", strcmp(copy, a), 0);
        free(copy);
        char *expected = strndup(a, n);
        copy = model_strndup(a, n);
        SAME("strndup", strcmp(copy, expected), 0);
        free(copy);
        free(expected);
        SAME("ffs", model_ffs(letter), ffs(letter));
    }
}

static void characters(void)
{
    const char *a = "", *b = "";
    for (int c = -128; c < 256; c++) {
#define CLASS(name) check(model_##name(c) == name(c), #name, a, b);
        CLASS(isalpha) CLASS(isdigit) CLASS(isalnum) CLASS(isspace) CLASS(isupper) CLASS(islower) CLASS(ispunct)
        CLASS(isprint) CLASS(isgraph) CLASS(iscntrl) CLASS(isblank) CLASS(isxdigit) CLASS(tolower) CLASS(toupper)
        check((model_isascii(c) != 0) == (isascii(c) != 0), "isascii", a, b);
        check(model_toascii(c) == toascii(c), "toascii", a, b);
        check(model___regatta_ctype_b(c) == (*__ctype_b_loc())[c], "__ctype_b_loc", a, b);
        check(model___regatta_ctype_tolower(c) == (*__ctype_tolower_loc())[c], "__ctype_tolower_loc", a, b);
        check(model___regatta_ctype_toupper(c) == (*__ctype_toupper_loc())[c], "__ctype_toupper_loc", a, b);
    }
}

static void numbers(void)
{
    char a[80], digits[60], b[20];
    static const char *const special[] = {
        "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "-4294967295",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "18446744073709551616", "-18446744073709551615", "0x", "0xg", "-0x", "  +0X1f", "08",
        "",
        "+", " - 1", "0x7fffffff", "0xffffffffffffffff", "zz", "7fffffffffffffff", "8000000000000000",
    };
    for (int round = 0; round < 30000; round++) {
        text(digits, 24, round % 2 ? "0123456789" : "01xXfgzZ9");
        strcpy(a, special[below(sizeof special / sizeof *special)]);
        if (round % 3) {
            a[0] = 0;
            strcat(a, (const char *const[]){ "", " ", "-", "\t+", "0x", "-0" }[below(6)]);
            strcat(a, digits);
        }
        int base = (const int[]){ 0, 10, 16, 8, 2, 36, 1, -3, 37 }[below(9)];
        sprintf(b, "%d", base);
#define CONVERT(type, name)                                                                                            \
    {                                                                                                                  \
        char *end = a + 79, *model_end = a + 79;                                                                       \
        errno = 0;                                                                                                     \
        type left = name(a, &end, base);                                                                               \
        int code = errno;                                                                                              \
        *model___errno_location() = 0;                                                                                 \
        type right = model_##name(a, &model_end, base);                                                                \
        check(left == right && end == model_end && code == *model___errno_location(), #name, a, b);                    \
    }
        /* For an invalid base, glibc does not set the end. */
        CONVERT(long, strtol)
        CONVERT(unsigned long, strtoul)
        CONVERT(long long, strtoll)
        CONVERT(unsigned long long, strtoull)
        SAME("atoi", model_atoi(a), atoi(a));
        SAME("atol", model_atol(a), atol(a));
        text(digits, 12, "0123.eE+-");
        char *end = 0, *model_end = 0;
        strtod(digits, &end);
        model_strtod(digits, &model_end);
        check(end == model_end, "strtod's end", digits, "");
    }
    int values[] = { 0, 1, -1, 7, -7, 100, 2147483647, -2147483647 };
    for (int i = 0; i < 8; i++) {
        for (int j = 1; j < 8; j++) {
            div_t left = div(values[i], values[j]);
            __regatta_div_t right = model_div(values[i], values[j]);
            check(left.quot == right.quot && left.rem == right.rem, "div", "", "");
            lldiv_t wide = lldiv(values[i], values[j]);
            __regatta_lldiv_t model_wide = model_lldiv(values[i], values[j]);
            check(wide.quot == model_wide.quot && wide.rem == model_wide.rem, "lldiv", "", "");
        }
        check(model_abs(values[i]) == abs(values[i]) && model_labs(values[i]) == labs(values[i]), "abs", "", "");
    }
}

struct pair { int key; int number; };

static int by_key(const void *left, const void *right)
{
    return ((const struct pair *)left)->key - ((const struct pair *)right)->key;
}

static void sorting(void)
{
    for (int round = 0; round < 2000; round++) {
        struct pair left[12], right[12], wanted = { (int)below(6), 0 };
        int count = below(13);
        for (int i = 0; i < count; i++)
            left[i] = right[i] = (struct pair){ (int)below(6), i };
        qsort(left, count, sizeof *left, by_key);
        model_qsort(right, count, sizeof *right, by_key);
        check(memcmp(left, right, count * sizeof *left) == 0, "qsort", "", "");
        check(place(left, bsearch(&wanted, left, count, sizeof *left, by_key))
                  == place(right, model_bsearch(&wanted, right, count, sizeof *right, by_key)),
              "bsearch", "", "");
    }
}

/* Equal values, zeros by their sign, or both not a number. */
#define AGREE(x, y) ((isnan(x) && isnan(y)) || ((x) == (y) && signbit(x) == signbit(y)))

#define REAL_TESTS(type, suffix, one)                                                                                  \
    static void real##suffix(void)                                                                                     \
    {                                                                                                                  \
        const type special[] = { 0, -(type)0, 1, -1, 0.5, -2.5, 3.5, 1e10, -123456.75, one##_MAX, -one##_MAX,          \
                                 one##_MIN, one##_MIN / 2, one##_MIN * one##_EPSILON, -one##_MIN / 4, INFINITY,        \
                                 -INFINITY, NAN, one##_EPSILON, 1 + one##_EPSILON };                                   \
        const int count = sizeof special / sizeof *special;                                                            \
        char a[60], b[60];                                                                                             \
        for (int i = 0; i < count; i++) {                                                                              \
            for (int j = 0; j < count; j++) {                                                                          \
                type x = special[i], y = special[j];                                                                   \
                sprintf(a, "%La", (long double)x);                                                                     \
                sprintf(b, "%La", (long double)y);                                                                     \
                check(AGREE(model_fdim##suffix(x, y), fdim##suffix(x, y)), "fdim" #suffix, a, b);                      \
                if (x != y || x != 0) {                                                                                \
                    check(AGREE(model_fmin##suffix(x, y), fmin##suffix(x, y)), "fmin" #suffix, a, b);                  \
                    check(AGREE(model_fmax##suffix(x, y), fmax##suffix(x, y)), "fmax" #suffix, a, b);                  \
                }                                                                                                      \
                NEXT##suffix                                                                                           \
            }                                                                                                          \
            type x = special[i], whole, model_whole;                                                                   \
            sprintf(a, "%La", (long double)x);                                                                         \
            b[0] = 0;                                                                                                  \
            type left = modf##suffix(x, &whole), right = model_modf##suffix(x, &model_whole);                          \
            check(AGREE(left, right) && AGREE(whole, model_whole), "modf" #suffix, a, b);                              \
            int exponent = 0, model_exponent = 0;                                                                      \
            left = frexp##suffix(x, &exponent);                                                                        \
            right = model_frexp##suffix(x, &model_exponent);                                                           \
            check(AGREE(left, right) && (!isfinite(x) || exponent == model_exponent), "frexp" #suffix, a, b);          \
            check(AGREE(model_logb##suffix(x), logb##suffix(x)), "logb" #suffix, a, b);                                \
            check(model_ilogb##suffix(x) == ilogb##suffix(x), "ilogb" #suffix, a, b);                                  \
            check(model___fpclassify##suffix(x) == fpclassify(x), "fpclassify" #suffix, a, b);                         \
            if (fabs##suffix(x) < 1e9) {                                                                               \
                check(model_lround##suffix(x) == lround##suffix(x), "lround" #suffix, a, b);                           \
                check(model_llrint##suffix(x) == llrint##suffix(x), "llrint" #suffix, a, b);                           \
            }                                                                                                          \
            for (int n = -40000; n < 40000; n += 1 + below(60)) {                                                      \
                sprintf(b, "%d", n);                                                                                   \
                check(AGREE(model_ldexp##suffix(x, n), ldexp##suffix(x, n)), "ldexp" #suffix, a, b);                   \
                type z = (x == 0 || !isfinite(x)) ? 1 + special[19] : x * (1 + special[18] * below(9));                \
                check(AGREE(model_scalbn##suffix(z, n / 16), scalbn##suffix(z, n / 16)), "scalbn" #suffix, a, b);      \
                check(AGREE(model_scalbln##suffix(x, n), scalbln##suffix(x, n)), "scalbln" #suffix, a, b);             \
            }                                                                                                          \
        }                                                                                                              \
    }

#define NEXT check(AGREE(model_nextafter(x, y), nextafter(x, y)), "nextafter", a, b); \
             check(AGREE(model_nexttoward(x, y), nexttoward(x, y)), "nexttoward", a, b);
#define NEXTf check(AGREE(model_nextafterf(x, y), nextafterf(x, y)), "nextafterf", a, b); \
              check(AGREE(model_nexttowardf(x, y), nexttowardf(x, y)), "nexttowardf", a, b);
#define NEXTl

#include <float.h>
REAL_TESTS(double, , DBL)
REAL_TESTS(float, f, FLT)
REAL_TESTS(long double, l, LDBL)

#include <time.h>

static void calendar(void)
{
    const char *a = "", *b = "";
    for (int round = 0; round < 20000; round++) {
        time_t t = (time_t)below(4000000000u) * (int)below(200) - (time_t)below(4000000000u) * (int)below(200);
        struct tm ours, theirs;
        if (round < 3000)
            t = (round - 1500) * 86399L;
        memset(&ours, 0, sizeof ours);
        model_gmtime_r(&t, &ours);
        gmtime_r(&t, &theirs);
        SAME("gmtime", ours.tm_sec, theirs.tm_sec);
        SAME("gmtime", ours.tm_min, theirs.tm_min);
        SAME("gmtime", ours.tm_hour, theirs.tm_hour);
        SAME("gmtime", ours.tm_mday, theirs.tm_mday);
        SAME("gmtime", ours.tm_mon, theirs.tm_mon);
        SAME("gmtime", ours.tm_year, theirs.tm_year);
        SAME("gmtime", ours.tm_wday, theirs.tm_wday);
        SAME("gmtime", ours.tm_yday, theirs.tm_yday);
        SAME("difftime", model_difftime(t, round), difftime(t, round));
    }
}

int main(void)
{
    calendar();
    strings();
    characters();
    numbers();
    sorting();
    real();
    realf();
    reall();
    for (unsigned i = 0; i < 1000; i++) {
        int x = (int)(below(65536) * 65537U);
        check(model___builtin_parity(x) == __builtin_parity(x) && model___builtin_clrsb(x) == __builtin_clrsb(x)
                  && model___builtin_clrsbl(x) == __builtin_clrsbl(x), "parity", "", "");
    }
    check(model_htonl(0x12345678) == 0x78563412 && model_ntohs(0x1234) == 0x3412, "htonl", "", "");
    return failures != 0;
}

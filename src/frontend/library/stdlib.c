/* <stdlib.h> and <errno.h>: numbers, sorting, the environment. */

static int __regatta_errno;

int *__errno_location(void)
{
    return &__regatta_errno;
}

int abs(int value)
{
    return value < 0 ? -value : value;
}

long labs(long value)
{
    return value < 0 ? -value : value;
}

long long llabs(long long value)
{
    return value < 0 ? -value : value;
}

long long imaxabs(long long value)
{
    return value < 0 ? -value : value;
}

__regatta_div_t div(int dividend, int divisor)
{
    __regatta_div_t result;
    result.quot = dividend / divisor;
    result.rem = dividend % divisor;
    return result;
}

__regatta_ldiv_t ldiv(long dividend, long divisor)
{
    __regatta_ldiv_t result;
    result.quot = dividend / divisor;
    result.rem = dividend % divisor;
    return result;
}

__regatta_lldiv_t lldiv(long long dividend, long long divisor)
{
    __regatta_lldiv_t result;
    result.quot = dividend / divisor;
    result.rem = dividend % divisor;
    return result;
}

/* The digits of a number in any base: its magnitude, cut off at the limit with `*overflow` set. */
static const char *__regatta_digits(const char *s, int base, unsigned long long limit, unsigned long long *magnitude,
                                    int *overflow)
{
    unsigned long long value = 0;
    *overflow = 0;
    for (;; s++) {
        int digit;
        if (*s >= '0' && *s <= '9')
            digit = *s - '0';
        else if (*s >= 'a' && *s <= 'z')
            digit = *s - 'a' + 10;
        else if (*s >= 'A' && *s <= 'Z')
            digit = *s - 'A' + 10;
        else
            break;
        if (digit >= base)
            break;
        if (*overflow || value > (limit - digit) / base) {
            *overflow = 1;
        } else {
            value = value * base + digit;
        }
    }
    *magnitude = value;
    return s;
}

/* White space, a sign, the base's prefix; where the digits begin. */
static const char *__regatta_number_start(const char *s, int *base, int *negative)
{
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    *negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    if ((*base == 0 || *base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
        && ((s[2] >= '0' && s[2] <= '9') || (s[2] >= 'a' && s[2] <= 'f') || (s[2] >= 'A' && s[2] <= 'F'))) {
        s += 2;
        *base = 16;
    } else if (*base == 0) {
        *base = *s == '0' ? 8 : 10;
    }
    return s;
}

long long strtoll(const char *s, char **end, int base)
{
    int negative;
    int overflow;
    unsigned long long magnitude;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    const char *digits = __regatta_number_start(s, &base, &negative);
    unsigned long long limit = (~0ULL >> 1) + negative;
    const char *after = __regatta_digits(digits, base, limit, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(after == digits ? s : after);
    if (overflow) {
        *__errno_location() = 34;
        magnitude = limit;
    }
    return negative ? (long long)-magnitude : (long long)magnitude;
}

unsigned long long strtoull(const char *s, char **end, int base)
{
    int negative;
    int overflow;
    unsigned long long magnitude;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    const char *digits = __regatta_number_start(s, &base, &negative);
    const char *after = __regatta_digits(digits, base, ~0ULL, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(after == digits ? s : after);
    if (overflow) {
        *__errno_location() = 34;
        return ~0ULL;
    }
    return negative ? -magnitude : magnitude;
}

long strtol(const char *s, char **end, int base)
{
    int negative;
    int overflow;
    unsigned long long magnitude;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    const char *digits = __regatta_number_start(s, &base, &negative);
    unsigned long long limit = (~0UL >> 1) + (unsigned long long)negative;
    const char *after = __regatta_digits(digits, base, limit, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(after == digits ? s : after);
    if (overflow) {
        *__errno_location() = 34;
        magnitude = limit;
    }
    return negative ? (long)-magnitude : (long)magnitude;
}

unsigned long strtoul(const char *s, char **end, int base)
{
    int negative;
    int overflow;
    unsigned long long magnitude;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    const char *digits = __regatta_number_start(s, &base, &negative);
    const char *after = __regatta_digits(digits, base, ~0UL, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(after == digits ? s : after);
    if (overflow) {
        *__errno_location() = 34;
        return ~0UL;
    }
    return negative ? (unsigned long)-magnitude : (unsigned long)magnitude;
}

long long strtoimax(const char *s, char **end, int base)
{
    return strtoll(s, end, base);
}

unsigned long long strtoumax(const char *s, char **end, int base)
{
    return strtoull(s, end, base);
}

int atoi(const char *s)
{
    return (int)strtol(s, 0, 10);
}

long atol(const char *s)
{
    return strtol(s, 0, 10);
}

long long atoll(const char *s)
{
    return strtoll(s, 0, 10);
}

/* Where a floating-point number in a string ends: exact for decimal numbers; others end anywhere. */
static const char *__regatta_float_end(const char *s)
{
    const char *start = s;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+')
        s++;
    int digits = 0;
    if (*s == 'i' || *s == 'I' || *s == 'n' || *s == 'N' || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))) {
        while (*s != 0 && __regatta_unknown_int())
            s++;
        return s;
    }
    for (; *s >= '0' && *s <= '9'; s++)
        digits = 1;
    if (*s == '.') {
        const char *point = s;
        for (s++; *s >= '0' && *s <= '9'; s++)
            digits = 1;
        if (!digits)
            s = point;
    }
    if (!digits)
        return start;
    if (*s == 'e' || *s == 'E') {
        const char *exponent = s + 1;
        if (*exponent == '-' || *exponent == '+')
            exponent++;
        if (*exponent >= '0' && *exponent <= '9') {
            s = exponent;
            while (*s >= '0' && *s <= '9')
                s++;
        }
    }
    return s;
}

double strtod(const char *s, char **end)
{
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    return after == s ? 0.0 : __regatta_unknown_double();
}

float strtof(const char *s, char **end)
{
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    return after == s ? 0.0f : __regatta_unknown_float();
}

long double strtold(const char *s, char **end)
{
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    return after == s ? 0.0L : __regatta_unknown_long_double();
}

double atof(const char *s)
{
    return strtod(s, 0);
}

/* Random numbers are inputs. */

int rand(void)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0);
    return value;
}

int rand_r(unsigned *state)
{
    *state = __VERIFIER_nondet_uint();
    return rand();
}

long random(void)
{
    return rand();
}

long lrand48(void)
{
    return rand();
}

long mrand48(void)
{
    return __VERIFIER_nondet_int();
}

double drand48(void)
{
    double value = __VERIFIER_nondet_double();
    __VERIFIER_assume(value >= 0.0 && value < 1.0);
    return value;
}

/* Insertion sort: stable, as glibc's merge sort is. */
void qsort(void *array, __regatta_size_t count, __regatta_size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *elements = array;
    for (__regatta_size_t i = 1; i < count; i++) {
        for (__regatta_size_t j = i; j > 0; j--) {
            unsigned char *left = elements + (j - 1) * size;
            unsigned char *right = elements + j * size;
            if (compare(left, right) <= 0)
                break;
            for (__regatta_size_t k = 0; k < size; k++) {
                unsigned char byte = left[k];
                left[k] = right[k];
                right[k] = byte;
            }
        }
    }
}

void *bsearch(const void *key, const void *array, __regatta_size_t count, __regatta_size_t size,
              int (*compare)(const void *, const void *))
{
    const unsigned char *elements = array;
    __regatta_size_t low = 0;
    __regatta_size_t high = count;
    while (low < high) {
        __regatta_size_t middle = (low + high) / 2;
        int order = compare(key, elements + middle * size);
        if (order == 0)
            return (void *)(elements + middle * size);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

/* A string of any length and contents. */
static char *__regatta_input_string(void)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length < (__regatta_size_t)-1);
    char *s = malloc(length + 1);
    for (__regatta_size_t i = 0; i < length; i++) {
        s[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume(s[i] != 0);
    }
    s[length] = 0;
    return s;
}

char *getenv(const char *name)
{
    (void)name;
    return __VERIFIER_nondet_bool() ? __regatta_input_string() : 0;
}

char *secure_getenv(const char *name)
{
    return getenv(name);
}

char *strerror(int error)
{
    (void)error;
    return __regatta_input_string();
}

static __regatta_exit_list_t __regatta_exit_list;

/* glibc has room for any number. */
int __regatta_atexit(__regatta_exit_function_t function)
{
    if (__regatta_exit_list.count == 64)
        __regatta_unsupported("more than 64 functions given to atexit");
    __regatta_exit_list.functions[__regatta_exit_list.count] = function;
    __regatta_exit_list.count++;
    return 0;
}

int atexit(__regatta_exit_function_t function)
{
    return __regatta_atexit(function);
}

/* Those that are registered meanwhile run, too. */
void __regatta_run_exit_functions(void)
{
    while (__regatta_exit_list.count != 0) {
        __regatta_exit_list.count--;
        __regatta_exit_list.functions[__regatta_exit_list.count]();
    }
}

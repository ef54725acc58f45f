/* <stdlib.h> and <errno.h>: numbers, sorting, the environment. */

/* The program's own `errno`, if it declares one. */

static int __regatta_shared_errno;

static int __regatta_shared_h_errno;

/* `h_errno`. */
int *__h_errno_location(void)
{
    return &__regatta_shared_h_errno;
}

int *__errno_location(void)
{
    return &__regatta_shared_errno;
}

int __regatta_initial_errno(void)
{
    return 0;
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

__regatta_lldiv_t imaxdiv(long long dividend, long long divisor)
{
    __regatta_lldiv_t result;
    result.quot = dividend / divisor;
    result.rem = dividend % divisor;
    return result;
}

/* Reads the digits of a number in any base: returns their number, and gives the magnitude; `*overflow` is set beyond
   the limit. */
static unsigned long __regatta_digits(const char *s, int base, unsigned long long limit, unsigned long long *magnitude,
                                      int *overflow)
{
    unsigned long count;
    unsigned long long value = 0;
    *overflow = 0;
    for (count = 0;; count++) {
        char c = s[count];
        int digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (c >= 'a' && c <= 'z')
            digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'Z')
            digit = c - 'A' + 10;
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
    return count;
}

/* Skips white space, a sign and the base's prefix; returns the beginning of the digits. */
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
    unsigned long count = __regatta_digits(digits, base, limit, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(count == 0 ? s : digits + count);
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
    unsigned long count = __regatta_digits(digits, base, ~0ULL, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(count == 0 ? s : digits + count);
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
    unsigned long count = __regatta_digits(digits, base, limit, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(count == 0 ? s : digits + count);
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
    unsigned long count = __regatta_digits(digits, base, ~0UL, &magnitude, &overflow);
    if (end != 0)
        *end = (char *)(count == 0 ? s : digits + count);
    if (overflow) {
        *__errno_location() = 34;
        return ~0UL;
    }
    return negative ? (unsigned long)-magnitude : (unsigned long)magnitude;
}

/* The variants for C23, where a number may be binary. */
static void __regatta_no_binary(const char *s, int base)
{
    if (base != 0 && base != 2)
        return;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '+' || *s == '-')
        s++;
    if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
        __regatta_unsupported("a binary number in a text");
}

long __isoc23_strtol(const char *s, char **end, int base)
{
    __regatta_no_binary(s, base);
    return strtol(s, end, base);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
    __regatta_no_binary(s, base);
    return strtoul(s, end, base);
}

long long __isoc23_strtoll(const char *s, char **end, int base)
{
    __regatta_no_binary(s, base);
    return strtoll(s, end, base);
}

unsigned long long __isoc23_strtoull(const char *s, char **end, int base)
{
    __regatta_no_binary(s, base);
    return strtoull(s, end, base);
}

long long __isoc23_strtoimax(const char *s, char **end, int base)
{
    return __isoc23_strtoll(s, end, base);
}

unsigned long long __isoc23_strtoumax(const char *s, char **end, int base)
{
    return __isoc23_strtoull(s, end, base);
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

/* The end of a floating-point number in a string: exact for decimal numbers in the C locale; anywhere for others. */
static const char *__regatta_float_end(const char *s)
{
    const char *start = s;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+')
        s++;
    int digits = 0;
    if (*s == 'i' || *s == 'I' || *s == 'n' || *s == 'N' || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        || __regatta_locale) {
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

/* Reads the number between `s` and `end`: its digits as an integer, and a power of ten as the factor. Returns 0 if the
   value is not known, 1 if it is exact, 2 if digits were cut off. */
static int __regatta_decimal(const char *s, const char *end, unsigned long long *digits, int *power, int *count,
                             _Bool *negative)
{
    int exactness = 1;
    _Bool fraction = 0;
    *digits = 0;
    *power = 0;
    *count = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    *negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    if (__regatta_locale || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')))
        return 0;
    for (; s < end && *s != 'e' && *s != 'E'; s++) {
        if (*s == '.') {
            fraction = 1;
            continue;
        }
        if (*s < '0' || *s > '9')
            return 0;
        if (*digits > (~0ULL - (unsigned)(*s - '0')) / 10) {
            exactness = *s == '0' ? exactness : 2;
            *power += !fraction;
        } else {
            *digits = *digits * 10 + (*s - '0');
            *count += *digits != 0;
            *power -= fraction;
        }
    }
    if (s < end) {
        int exponent = 0;
        s++;
        _Bool below = *s == '-';
        if (*s == '-' || *s == '+')
            s++;
        for (; s < end; s++)
            exponent = exponent < 100000 ? exponent * 10 + (*s - '0') : exponent;
        *power += below ? -exponent : exponent;
    }
    /* Removes trailing zeros after the point. */
    while (exactness == 1 && *power < 0 && *digits != 0 && *digits % 10 == 0) {
        *digits /= 10;
        *count -= 1;
        *power += 1;
    }
    return exactness;
}

/* Whether the number is an integer of 64 bits, which a conversion rounds once; it is then stored in the digits. */
static _Bool __regatta_whole(unsigned long long *digits, int power)
{
    unsigned long long value = *digits;
    if (power < 0 || power > 19 || fegetround() != 0)
        return 0;
    for (; power > 0; power--) {
        if (value > ~0ULL / 10)
            return 0;
        value *= 10;
    }
    *digits = value;
    return 1;
}

double strtod(const char *s, char **end)
{
    unsigned long long digits;
    int power;
    int count;
    _Bool negative;
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    if (after == s)
        return 0.0;
    int exactness = __regatta_decimal(s, after, &digits, &power, &count, &negative);
    if (exactness == 0) {
        if (__regatta_unknown_int())
            *__errno_location() = 34; /* ERANGE */
        return __regatta_unknown_double();
    }
    double result = 0;
    int magnitude = count - 1 + power;
    for (; exactness == 1 && power > 22 && digits != 0 && digits <= (1ULL << 53) / 10; power--)
        digits *= 10;
    if (digits == 0) {
        result = 0;
    } else if (exactness == 1 && __regatta_whole(&digits, power)) {
        return negative ? -(double)digits : (double)digits;
    } else if (exactness == 1 && digits <= 1ULL << 53 && power >= -22 && power <= 22) {
        /* Both operands are exact, so the result is rounded once. */
        double scale = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--)
            scale *= 10;
        double whole = negative ? -(double)digits : (double)digits;
        return power < 0 ? whole / scale : whole * scale;
    } else if (magnitude > 308) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? __builtin_inf() : __regatta_unknown_double();
        __VERIFIER_assume(result > 0);
    } else if (magnitude < -326) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? 0 : __regatta_unknown_double();
        __VERIFIER_assume(result >= 0);
    } else {
        if ((magnitude < -306 || magnitude == 308) && __regatta_unknown_int())
            *__errno_location() = 34;
        result = __regatta_unknown_double();
        __VERIFIER_assume(result >= 0);
    }
    return negative ? -result : result;
}

float strtof(const char *s, char **end)
{
    unsigned long long digits;
    int power;
    int count;
    _Bool negative;
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    if (after == s)
        return 0.0f;
    int exactness = __regatta_decimal(s, after, &digits, &power, &count, &negative);
    if (exactness == 0) {
        if (__regatta_unknown_int())
            *__errno_location() = 34;
        return __regatta_unknown_float();
    }
    float result = 0;
    int magnitude = count - 1 + power;
    for (; exactness == 1 && power > 10 && digits != 0 && digits <= (1ULL << 24) / 10; power--)
        digits *= 10;
    if (digits == 0) {
        result = 0;
    } else if (exactness == 1 && __regatta_whole(&digits, power)) {
        return negative ? -(float)digits : (float)digits;
    } else if (exactness == 1 && digits <= 1ULL << 24 && power >= -10 && power <= 10) {
        float scale = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--)
            scale *= 10;
        float whole = negative ? -(float)digits : (float)digits;
        return power < 0 ? whole / scale : whole * scale;
    } else if (magnitude > 38) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? __builtin_inff() : __regatta_unknown_float();
        __VERIFIER_assume(result > 0);
    } else if (magnitude < -47) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? 0 : __regatta_unknown_float();
        __VERIFIER_assume(result >= 0);
    } else {
        if ((magnitude < -36 || magnitude == 38) && __regatta_unknown_int())
            *__errno_location() = 34;
        result = __regatta_unknown_float();
        __VERIFIER_assume(result >= 0);
    }
    return negative ? -result : result;
}

long double strtold(const char *s, char **end)
{
    unsigned long long digits;
    int power;
    int count;
    _Bool negative;
    const char *after = __regatta_float_end(s);
    if (end != 0)
        *end = (char *)after;
    if (after == s)
        return 0.0L;
    int exactness = __regatta_decimal(s, after, &digits, &power, &count, &negative);
    if (exactness == 0) {
        if (__regatta_unknown_int())
            *__errno_location() = 34;
        return __regatta_unknown_long_double();
    }
    long double result = 0;
    int magnitude = count - 1 + power;
    if (digits == 0) {
        result = 0;
    } else if (exactness == 1 && power >= -27 && power <= 27) {
        long double scale = 1;
        for (int i = power < 0 ? -power : power; i > 0; i--)
            scale *= 10;
        long double whole = negative ? -(long double)digits : (long double)digits;
        return power < 0 ? whole / scale : whole * scale;
    } else if (magnitude > 4932) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? __builtin_infl() : __regatta_unknown_long_double();
        __VERIFIER_assume(result > 0);
    } else if (magnitude < -4953) {
        *__errno_location() = 34;
        result = fegetround() == 0 ? 0 : __regatta_unknown_long_double();
        __VERIFIER_assume(result >= 0);
    } else {
        if ((magnitude < -4930 || magnitude == 4932) && __regatta_unknown_int())
            *__errno_location() = 34;
        result = __regatta_unknown_long_double();
        __VERIFIER_assume(result >= 0);
    }
    return negative ? -result : result;
}

double atof(const char *s)
{
    return strtod(s, 0);
}

/* Random numbers are inputs until a generator is seeded again: with the same seed, the numbers would repeat. */

static _Bool __regatta_random_drawn;

static _Bool __regatta_random_again;

static void __regatta_draw(void)
{
    if (__regatta_random_again)
        __regatta_only_perhaps();
    __regatta_random_drawn = 1;
}

static void __regatta_seed(void)
{
    if (__regatta_random_drawn)
        __regatta_random_again = 1;
}

void srand(unsigned seed)
{
    (void)seed;
    __regatta_seed();
}

void srandom(unsigned seed)
{
    (void)seed;
    __regatta_seed();
}

void srand48(long seed)
{
    (void)seed;
    __regatta_seed();
}

int rand(void)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0);
    __regatta_draw();
    return value;
}

/* The state determines the number, which is not modelled. */
int rand_r(unsigned *state)
{
    int value = __regatta_unknown_int();
    *state = (unsigned)__regatta_unknown_int();
    __VERIFIER_assume(value >= 0);
    return value;
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
    int value = __VERIFIER_nondet_int();
    __regatta_draw();
    return value;
}

double drand48(void)
{
    double value = __VERIFIER_nondet_double();
    __VERIFIER_assume(value >= 0.0 && value < 1.0);
    __regatta_draw();
    /* The number has 48 bits after the point. */
    if (value * 0x1p48 != trunc(value * 0x1p48))
        __regatta_only_perhaps();
    return value;
}

/* The number and the arguments of the calls of a comparison function are unspecified: if the program can observe them,
   there may be swapped operands, a second call, and calls with any two elements. */
static int __regatta_compare(const unsigned char *elements, __regatta_size_t count, __regatta_size_t size,
                             const void *left, const void *right, int (*compare)(const void *, const void *))
{
    if (__regatta_callbacks_matter()) {
        while (__VERIFIER_nondet_bool()) {
            __regatta_size_t i = __regatta_unknown_size();
            __regatta_size_t j = __regatta_unknown_size();
            __VERIFIER_assume(i < count && j < count);
            compare(elements + i * size, elements + j * size);
        }
        if (__VERIFIER_nondet_bool())
            compare(left, right);
        if (__VERIFIER_nondet_bool()) {
            int order = compare(right, left);
            return order > 0 ? -1 : order < 0;
        }
    }
    return compare(left, right);
}

/* Insertion sort; the order of equal elements is unspecified. */
void qsort(void *array, __regatta_size_t count, __regatta_size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *elements = array;
    for (__regatta_size_t i = 1; i < count; i++) {
        for (__regatta_size_t j = i; j > 0; j--) {
            unsigned char *left = elements + (j - 1) * size;
            unsigned char *right = elements + j * size;
            int order = __regatta_compare(elements, count, size, left, right, compare);
            if (order < 0)
                break;
            if (order == 0 && (memcmp(left, right, size) == 0 || !__regatta_unknown_int()))
                break;
            for (__regatta_size_t k = 0; k < size; k++) {
                unsigned char byte = left[k];
                left[k] = right[k];
                right[k] = byte;
            }
        }
    }
}

static int __regatta_compare_with(const unsigned char *elements, __regatta_size_t count, __regatta_size_t size,
                                  const void *left, const void *right,
                                  int (*compare)(const void *, const void *, void *), void *argument)
{
    while (__VERIFIER_nondet_bool()) {
        __regatta_size_t i = __regatta_unknown_size();
        __regatta_size_t j = __regatta_unknown_size();
        __VERIFIER_assume(i < count && j < count);
        compare(elements + i * size, elements + j * size, argument);
    }
    if (__VERIFIER_nondet_bool())
        compare(left, right, argument);
    if (__VERIFIER_nondet_bool()) {
        int order = compare(right, left, argument);
        return order > 0 ? -1 : order < 0;
    }
    return compare(left, right, argument);
}

/* glibc's variant: the comparison function has an additional argument. */
void qsort_r(void *array, __regatta_size_t count, __regatta_size_t size,
             int (*compare)(const void *, const void *, void *), void *argument)
{
    unsigned char *elements = array;
    for (__regatta_size_t i = 1; i < count; i++) {
        for (__regatta_size_t j = i; j > 0; j--) {
            unsigned char *left = elements + (j - 1) * size;
            unsigned char *right = elements + j * size;
            int order = __regatta_compare_with(elements, count, size, left, right, compare, argument);
            if (order < 0)
                break;
            if (order == 0 && (memcmp(left, right, size) == 0 || !__regatta_unknown_int()))
                break;
            for (__regatta_size_t k = 0; k < size; k++) {
                unsigned char byte = left[k];
                left[k] = right[k];
                right[k] = byte;
            }
        }
    }
}

static int __regatta_compare_key(const unsigned char *elements, __regatta_size_t count, __regatta_size_t size,
                                 const void *key, __regatta_size_t place, int (*compare)(const void *, const void *))
{
    if (__regatta_callbacks_matter()) {
        while (__VERIFIER_nondet_bool()) {
            __regatta_size_t i = __regatta_unknown_size();
            __VERIFIER_assume(i < count);
            compare(key, elements + i * size);
        }
        if (__VERIFIER_nondet_bool())
            compare(key, elements + place * size);
    }
    return compare(key, elements + place * size);
}

/* It is unspecified which of several equal elements is found. */
void *bsearch(const void *key, const void *array, __regatta_size_t count, __regatta_size_t size,
              int (*compare)(const void *, const void *))
{
    const unsigned char *elements = array;
    __regatta_size_t low = 0;
    __regatta_size_t high = count;
    while (low < high) {
        __regatta_size_t middle = (low + high) / 2;
        int order = __regatta_compare_key(elements, count, size, key, middle, compare);
        if (order == 0) {
            if (high - low > 1 && __VERIFIER_nondet_bool()) {
                __regatta_size_t other = __regatta_unknown_size();
                __VERIFIER_assume(other >= low && other < high && compare(key, elements + other * size) == 0);
                middle = other;
            }
            return (void *)(elements + middle * size);
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

/* A string of any length and contents: its bytes are uninitialised, hence arbitrary, zero included. */
static char *__regatta_input_string(void)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length < (__regatta_size_t)-1);
    char *s = malloc(length + 1);
    if (s != 0)
        s[length] = 0;
    return s;
}

/* The environment: the value of each name is an input at its first use, and stored from then on. */

static __regatta_environment_t __regatta_environment;

static void *__regatta_variable_of(const char *name)
{
    __regatta_variable *variable;
    for (int i = 0; i < __regatta_environment.count; i++) {
        variable = &__regatta_environment.variables[i];
        if (strcmp(variable->name, name) == 0)
            return variable;
    }
    if (__regatta_environment.count == 8)
        __regatta_unsupported("more than 8 names given to getenv");
    variable = &__regatta_environment.variables[__regatta_environment.count];
    __regatta_environment.count++;
    variable->name = strdup(name);
    __VERIFIER_assume(variable->name != 0);
    variable->value = 0;
    if (__VERIFIER_nondet_bool()) {
        variable->value = __regatta_input_string();
        __VERIFIER_assume(variable->value != 0);
    }
    return variable;
}

static _Bool __regatta_is_variable(const char *name)
{
    if (name == 0 || *name == 0)
        return 0;
    for (; *name != 0; name++) {
        if (*name == '=')
            return 0;
    }
    return 1;
}

/* In a program that uses `environ`, the strings there are the environment. */

static char **__regatta_shared_environ;

static char *__regatta_search_environment(const char *name)
{
    char **entry = __regatta_shared_environ;
    if (entry == 0)
        return 0;
    for (; *entry != 0; entry++) {
        __regatta_size_t length = 0;
        while (name[length] != 0 && (*entry)[length] == name[length])
            length++;
        if (name[length] == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return 0;
}

char *getenv(const char *name)
{
    if (!__regatta_is_variable(name))
        return 0;
    if (__regatta_environment_is_named())
        return __regatta_search_environment(name);
    __regatta_variable *variable = __regatta_variable_of(name);
    return variable->value;
}

/* `getenv` under a check of memory, called once: a text that the program cannot free, of any length that Linux permits. The
   area has arbitrary contents. The text is at its beginning or at its end, so that an access before or behind the text is not in
   the area in some execution. */

static char __regatta_environment_area[131072];

static _Bool __regatta_environment_was_asked;

char *__regatta_environment_text(const char *name)
{
    if (!__regatta_is_variable(name))
        return 0;
    if (__regatta_environment_is_named() || __regatta_environment_was_asked)
        __regatta_unsupported("a second look at the environment under a check of memory");
    __regatta_environment_was_asked = 1;
    if (__VERIFIER_nondet_bool())
        return 0;
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length < sizeof __regatta_environment_area);
    char *text = __regatta_environment_area;
    if (__VERIFIER_nondet_bool())
        text += sizeof __regatta_environment_area - 1 - length;
    text[length] = 0;
    return text;
}

/* Whether the program has more rights than its user: 1 for no, 2 for yes, 0 before the first use. */

static int __regatta_privileged;

char *secure_getenv(const char *name)
{
    if (__regatta_privileged == 0)
        __regatta_privileged = __VERIFIER_nondet_bool() ? 2 : 1;
    return __regatta_privileged == 1 ? getenv(name) : 0;
}

int setenv(const char *name, const char *value, int overwrite)
{
    if (!__regatta_is_variable(name)) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    if (__regatta_environment_is_named())
        __regatta_unsupported("setenv and `environ`");
    __regatta_variable *variable = __regatta_variable_of(name);
    if (variable->value != 0 && !overwrite)
        return 0;
    char *copy = __VERIFIER_nondet_bool() ? strdup(value) : 0;
    if (copy == 0) {
        *__errno_location() = 12; /* ENOMEM */
        return -1;
    }
    variable->value = copy;
    return 0;
}

int unsetenv(const char *name)
{
    if (!__regatta_is_variable(name)) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    if (__regatta_environment_is_named())
        __regatta_unsupported("unsetenv and `environ`");
    __regatta_variable *variable = __regatta_variable_of(name);
    variable->value = 0;
    return 0;
}

/* Some of glibc's messages in the C locale; other messages are unknown. */
char *strerror(int error)
{
    if (!__regatta_locale) {
        __regatta_assumed_library("the messages of strerror are those of glibc in the C locale");
        switch (error) {
        case 0:
            return "Success";
        case 1:
            return "Operation not permitted";
        case 2:
            return "No such file or directory";
        case 4:
            return "Interrupted system call";
        case 5:
            return "Input/output error";
        case 9:
            return "Bad file descriptor";
        case 11:
            return "Resource temporarily unavailable";
        case 12:
            return "Cannot allocate memory";
        case 13:
            return "Permission denied";
        case 16:
            return "Device or resource busy";
        case 17:
            return "File exists";
        case 22:
            return "Invalid argument";
        case 33:
            return "Numerical argument out of domain";
        case 34:
            return "Numerical result out of range";
        }
    }
    __regatta_only_perhaps();
    char *message = __regatta_input_string();
    __VERIFIER_assume(message != 0);
    return message;
}

static __regatta_exit_list_t __regatta_exit_list;

/* glibc accepts any number of functions. */
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

/* Functions that are registered meanwhile run, too. */
void __regatta_run_exit_functions(void)
{
    while (__regatta_exit_list.count != 0) {
        __regatta_elsewhere_at_end();
        __regatta_exit_list.count--;
        __regatta_exit_list.functions[__regatta_exit_list.count]();
    }
}

/* Functions with an argument: their entry in the list above is null. */

static __regatta_exit_argument_t __regatta_exit_arguments[64];

static int __regatta_exit_status;

void __regatta_set_exit_status(int status)
{
    __regatta_exit_status = status;
}

void __regatta_run_any_exit_functions(void)
{
    while (__regatta_exit_list.count != 0) {
        __regatta_elsewhere_at_end();
        __regatta_exit_list.count--;
        unsigned last = __regatta_exit_list.count;
        if (__regatta_exit_list.functions[last] != 0) {
            __regatta_exit_list.functions[last]();
        } else if (__regatta_exit_arguments[last].plain != 0) {
            __regatta_exit_arguments[last].plain(__regatta_exit_arguments[last].argument);
        } else {
            __regatta_exit_arguments[last].status(__regatta_exit_status, __regatta_exit_arguments[last].argument);
        }
    }
}

int __regatta_exit_with_argument(__regatta_argument_function_t plain, __regatta_status_function_t status,
                                 void *argument)
{
    unsigned next = __regatta_exit_list.count;
    __regatta_atexit(0);
    __regatta_exit_arguments[next].plain = plain;
    __regatta_exit_arguments[next].status = status;
    __regatta_exit_arguments[next].argument = argument;
    return 0;
}

int __cxa_atexit(__regatta_argument_function_t function, void *argument, void *object)
{
    (void)object;
    return __regatta_exit_with_argument(function, 0, argument);
}

int on_exit(__regatta_status_function_t function, void *argument)
{
    return __regatta_exit_with_argument(0, function, argument);
}

static __regatta_exit_list_t __regatta_quick_exit_list;

int at_quick_exit(__regatta_exit_function_t function)
{
    if (__regatta_quick_exit_list.count == 64)
        __regatta_unsupported("more than 64 functions given to at_quick_exit");
    __regatta_quick_exit_list.functions[__regatta_quick_exit_list.count] = function;
    __regatta_quick_exit_list.count++;
    return 0;
}

void quick_exit(int status)
{
    while (__regatta_quick_exit_list.count != 0) {
        __regatta_elsewhere_at_end();
        __regatta_quick_exit_list.count--;
        __regatta_quick_exit_list.functions[__regatta_quick_exit_list.count]();
    }
    __regatta_elsewhere_at_end();
    _exit(status);
}

/* The name by which the program was called. */
char *__regatta_initial_program_invocation_name(void)
{
    char *name = __regatta_input_string();
    __VERIFIER_assume(name != 0);
    __regatta_only_perhaps();
    return name;
}

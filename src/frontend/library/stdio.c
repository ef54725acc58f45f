/* <stdio.h>, <unistd.h>, <time.h> and others: what is read is an input, what is written has no effect. */

int getchar(void)
{
    int character = __VERIFIER_nondet_int();
    __VERIFIER_assume(character >= -1 && character <= 255);
    return character;
}

int getchar_unlocked(void)
{
    return getchar();
}

int getc(void *stream)
{
    (void)stream;
    return getchar();
}

int fgetc(void *stream)
{
    (void)stream;
    return getchar();
}

int _IO_getc(void *stream)
{
    (void)stream;
    return getchar();
}

int ungetc(int character, void *stream)
{
    (void)stream;
    return character == -1 ? -1 : (unsigned char)character;
}

char *fgets(char *s, int size, void *stream)
{
    int i = 0;
    (void)stream;
    if (size <= 0)
        return 0;
    while (i < size - 1) {
        int character = getchar();
        if (character == -1) {
            if (i == 0)
                return 0;
            break;
        }
        s[i] = (char)character;
        i++;
        if (character == '\n')
            break;
    }
    s[i] = 0;
    return s;
}

char *gets(char *s)
{
    __regatta_size_t i = 0;
    for (;;) {
        int character = getchar();
        if (character == -1 && i == 0)
            return 0;
        if (character == -1 || character == '\n')
            break;
        s[i] = (char)character;
        i++;
    }
    s[i] = 0;
    return s;
}

long read(int file, void *buffer, __regatta_size_t size)
{
    char *bytes = buffer;
    long length = __VERIFIER_nondet_long();
    (void)file;
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    for (long i = 0; i < length; i++)
        bytes[i] = __VERIFIER_nondet_char();
    return length;
}

__regatta_size_t fread(void *buffer, __regatta_size_t size, __regatta_size_t count, void *stream)
{
    char *bytes = buffer;
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    (void)stream;
    if (size == 0 || count == 0)
        return 0;
    __VERIFIER_assume(length <= size * count);
    for (__regatta_size_t i = 0; i < length; i++)
        bytes[i] = __VERIFIER_nondet_char();
    return length / size;
}

__regatta_size_t fwrite(const void *buffer, __regatta_size_t size, __regatta_size_t count, void *stream)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    (void)buffer;
    (void)stream;
    if (size == 0 || count == 0)
        return 0;
    __VERIFIER_assume(length <= count);
    return length;
}

long write(int file, const void *buffer, __regatta_size_t size)
{
    long length = __VERIFIER_nondet_long();
    (void)file;
    (void)buffer;
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    return length;
}

static char __regatta_stream;

void *fopen(const char *name, const char *mode)
{
    (void)name;
    (void)mode;
    return __VERIFIER_nondet_bool() ? &__regatta_stream : 0;
}

void *fdopen(int file, const char *mode)
{
    (void)file;
    (void)mode;
    return __VERIFIER_nondet_bool() ? &__regatta_stream : 0;
}

void *tmpfile(void)
{
    return __VERIFIER_nondet_bool() ? &__regatta_stream : 0;
}

/* What is printed into a string: its length and its characters are not modelled. */

static int __regatta_print(char *to, __regatta_size_t size)
{
    int length = __regatta_unknown_int();
    if (length < 0)
        return -1;
    if (size > 0) {
        __regatta_size_t i = 0;
        while (i < size - 1 && i < (__regatta_size_t)length) {
            to[i] = __regatta_unknown_char();
            i++;
        }
        to[i] = 0;
    }
    return length;
}

int sprintf(char *to, const char *format, ...)
{
    (void)format;
    return __regatta_print(to, (__regatta_size_t)-1);
}

int snprintf(char *to, __regatta_size_t size, const char *format, ...)
{
    (void)format;
    return __regatta_print(to, size);
}

int vsprintf(char *to, const char *format, __builtin_va_list arguments)
{
    (void)format;
    return __regatta_print(to, (__regatta_size_t)-1);
}

int vsnprintf(char *to, __regatta_size_t size, const char *format, __builtin_va_list arguments)
{
    (void)format;
    return __regatta_print(to, size);
}

/* Time. */

__regatta_time_t time(__regatta_time_t *result)
{
    __regatta_time_t now = __VERIFIER_nondet_long();
    if (result != 0)
        *result = now;
    return now;
}

int gettimeofday(void *result, void *zone)
{
    __regatta_timeval *now = result;
    (void)zone;
    if (now != 0) {
        now->tv_sec = __VERIFIER_nondet_long();
        now->tv_usec = __VERIFIER_nondet_long();
        __VERIFIER_assume(now->tv_usec >= 0 && now->tv_usec < 1000000);
    }
    return 0;
}

int clock_gettime(int clock, void *result)
{
    __regatta_timeval *now = result;
    (void)clock;
    if (__VERIFIER_nondet_bool())
        return -1;
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_usec = __VERIFIER_nondet_long();
    __VERIFIER_assume(now->tv_usec >= 0 && now->tv_usec < 1000000000);
    return 0;
}

/* Byte order: the machine is little-endian. */

unsigned htonl(unsigned value)
{
    return __builtin_bswap32(value);
}

unsigned ntohl(unsigned value)
{
    return __builtin_bswap32(value);
}

unsigned short htons(unsigned short value)
{
    return __builtin_bswap16(value);
}

unsigned short ntohs(unsigned short value)
{
    return __builtin_bswap16(value);
}

/* <stdio.h>: characters that are read are inputs; output has no effect, but may fail. A stream is an object of the
   prelude with the observable state: whether the end was reached, whether there was an error, the character pushed
   back. `constrained` tells that the characters to be read depend on earlier events: 1 for the next character (it has
   ended a number, say), 2 for all following ones (the file was written, or its position set); 3 marks a stream for
   writing only. glibc's members do not exist: the lowering rejects reads of them. */

static __regatta_file __regatta_stdin;

static __regatta_file __regatta_stdout = {.constrained = 3};

static __regatta_file __regatta_stderr = {.constrained = 3};

void *__regatta_initial_stdin(void)
{
    return &__regatta_stdin;
}

void *__regatta_initial_stdout(void)
{
    return &__regatta_stdout;
}

void *__regatta_initial_stderr(void)
{
    return &__regatta_stderr;
}

/* Whether the program may have written to files that it reads. */

static _Bool __regatta_written;

/* Whether streams may use file descriptors. */

static _Bool __regatta_streams_used;

/* Whether unknown code created the stream: then unknown code performs its operations. Unknown code that was called may
   also have changed the program's own streams, or given them a buffer: no alarm rests on that. */
static _Bool __regatta_is_elsewhere(void *stream)
{
    if (stream != 0 && stream != &__regatta_stdin && stream != &__regatta_stdout && stream != &__regatta_stderr
        && ((__regatta_file *)stream)->own != 1)
        return 1;
    if (__regatta_elsewhere_had_control() && __VERIFIER_nondet_bool()) {
        __regatta_only_perhaps();
        __regatta_elsewhere(stream);
    }
    return 0;
}

/* Output to the standard error, by functions that are not otherwise modelled. */
void __regatta_standard_error(void)
{
    if (__regatta_streams_elsewhere())
        __regatta_is_elsewhere(&__regatta_stderr);
}

/* The rest of the path is possible in the model, but perhaps not in any real execution: no alarm is confirmed there. */
static void __regatta_only_perhaps(void)
{
    __VERIFIER_assume(__regatta_unknown_int());
}

/* A failure; errno is any of Linux's error numbers. */
static int __regatta_fail(void)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error >= 1 && error <= 133);
    *__errno_location() = error;
    return -1;
}

static int __regatta_invalid(void)
{
    *__errno_location() = 22; /* EINVAL */
    return -1;
}

/* A null or empty file name is an error. */
static _Bool __regatta_no_path(const char *name)
{
    if (name != 0 && *name != 0)
        return 0;
    *__errno_location() = name == 0 ? 14 : 2; /* EFAULT, ENOENT */
    return 1;
}

/* A function that sets errno when it fails may also change it when it succeeds, but never to zero. */
void __regatta_errno_may_change(void)
{
    if (__VERIFIER_nondet_bool())
        __regatta_fail();
}

static int __regatta_done_or_failed(void)
{
    return __VERIFIER_nondet_bool() ? __regatta_fail() : 0;
}

/* Nothing can be read: the end, or an error. */
static int __regatta_nothing_read(void *stream)
{
    __regatta_file *file = stream;
    if (__VERIFIER_nondet_bool()) {
        file->end = 1;
    } else {
        file->error = 1;
        __regatta_fail();
    }
    return -1;
}

int getc(void *stream)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        int result = __regatta_elsewhere(stream);
        __VERIFIER_assume(result >= -1 && result <= 255);
        return result;
    }
    if (file->pushed != 0) {
        int pushed = file->pushed - 1;
        file->pushed = 0;
        return pushed;
    }
    if (file->end)
        return -1;
    if (file->constrained == 3) {
        file->error = 1;
        *__errno_location() = 9; /* EBADF */
        return -1;
    }
    int character = __VERIFIER_nondet_int();
    __VERIFIER_assume(character >= -1 && character <= 255);
    /* White space and the end are always possible after a scanned item. */
    if (file->constrained == 2
        || (file->constrained == 1 && character != -1 && character != ' ' && (character < '\t' || character > '\r')))
        __regatta_only_perhaps();
    if (file->constrained == 1)
        file->constrained = 0;
    return character == -1 ? __regatta_nothing_read(file) : character;
}

int fgetc(void *stream)
{
    return getc(stream);
}

int _IO_getc(void *stream)
{
    return getc(stream);
}

int getchar(void)
{
    return getc(&__regatta_stdin);
}

int ungetc(int character, void *stream)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream);
    if (character == -1)
        return -1;
    if (file->pushed != 0)
        __regatta_unsupported("more than one character given to ungetc");
    if (file->constrained == 3)
        __regatta_only_perhaps();
    file->pushed = (unsigned char)character + 1;
    file->end = 0;
    return (unsigned char)character;
}

char *fgets(char *s, int size, void *stream)
{
    __regatta_file *file = stream;
    int i = 0;
    if (size <= 0)
        return 0;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        __regatta_only_perhaps();
        return __regatta_elsewhere(stream, s) ? s : 0;
    }
    while (i < size - 1) {
        int character = getc(stream);
        if (character == -1) {
            if (i == 0 || !file->end)
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
        if (character == -1 && (i == 0 || !__regatta_stdin.end))
            return 0;
        if (character == -1 || character == '\n')
            break;
        s[i] = (char)character;
        i++;
    }
    s[i] = 0;
    return s;
}

long getdelim(char **line, __regatta_size_t *size, int delimiter, void *stream)
{
    __regatta_size_t i = 0;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        __regatta_unsupported("a line from a stream of unknown code");
    if (line == 0 || size == 0) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    if (*line == 0 || *size == 0) {
        char *made = malloc(120);
        *line = made;
        *size = 120;
        if (made == 0)
            return -1;
    }
    __regatta_size_t room = *size;
    for (;;) {
        int character = getc(stream);
        if (character == -1)
            break;
        /* No object is larger. */
        __VERIFIER_assume(i < (__regatta_size_t)-1 >> 2);
        if (i + 1 >= room) {
            /* The growth depends on how much was read at once. */
            __regatta_only_perhaps();
            room = 2 * room > i + 2 ? 2 * room : i + 2;
            char *made = realloc(*line, room);
            if (made == 0)
                return -1;
            *line = made;
            *size = room;
        }
        (*line)[i] = (char)character;
        i++;
        if (character == delimiter)
            break;
    }
    if (i == 0)
        return -1;
    (*line)[i] = 0;
    return (long)i;
}

long getline(char **line, __regatta_size_t *size, void *stream)
{
    return getdelim(line, size, '\n', stream);
}

__regatta_size_t fread(void *buffer, __regatta_size_t size, __regatta_size_t count, void *stream)
{
    __regatta_file *file = stream;
    char *bytes = buffer;
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    if (size == 0 || count == 0)
        return 0;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        __regatta_only_perhaps();
        __regatta_elsewhere(stream, buffer);
        __VERIFIER_assume(length <= count);
        return length;
    }
    __VERIFIER_assume(length <= size * count);
    if (file->pushed != 0 || file->constrained != 0)
        __regatta_only_perhaps();
    else if (file->end)
        return 0;
    if (file->constrained == 3)
        length = 0;
    file->pushed = 0;
    for (__regatta_size_t i = 0; i < length; i++)
        bytes[i] = __VERIFIER_nondet_char();
    if (length < size * count)
        __regatta_nothing_read(file);
    return length / size;
}

/* A stream that is open for reading only. */
static _Bool __regatta_not_for_output(void *stream)
{
    __regatta_file *file = stream;
    if (stream == &__regatta_stdout || stream == &__regatta_stderr || file->output)
        return 0;
    file->error = 1;
    *__errno_location() = 9; /* EBADF */
    return 1;
}

/* Output: succeeds with the result, or fails. */
static int __regatta_put(void *stream, int result)
{
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream) < 0 ? -1 : result;
    if (__regatta_not_for_output(stream))
        return -1;
    if (__VERIFIER_nondet_bool()) {
        ((__regatta_file *)stream)->error = 1;
        return __regatta_fail();
    }
    return result;
}

int fputc(int character, void *stream)
{
    return __regatta_put(stream, (unsigned char)character);
}

int putc(int character, void *stream)
{
    return __regatta_put(stream, (unsigned char)character);
}

int _IO_putc(int character, void *stream)
{
    return __regatta_put(stream, (unsigned char)character);
}

int putchar(int character)
{
    return __regatta_put(&__regatta_stdout, (unsigned char)character);
}

int putw(int value, void *stream)
{
    (void)value;
    return __regatta_put(stream, 0);
}

/* A number that is not negative: as a rule the given one. */
static int __regatta_not_negative(int usual)
{
    if (!__VERIFIER_nondet_bool())
        return usual;
    int other = __regatta_unknown_int();
    __VERIFIER_assume(other >= 0);
    return other;
}

/* Any number that is not negative; glibc gives 1. */
int fputs(const char *s, void *stream)
{
    (void)s;
    return __regatta_put(stream, __regatta_not_negative(1));
}

/* The same; glibc gives the number of characters. */
/* Under a check of memory: reads what a function reads that only prints. */
void __regatta_read_text(const char *s, int precision)
{
    int length = 0;
    while ((precision < 0 || length < precision) && s[length] != 0)
        length++;
}

void __regatta_read_wide_text(const __regatta_wchar_t *s, int precision)
{
    int length = 0;
    if (precision >= 0)
        __regatta_unsupported("a wide string that is printed with a precision");
    while (s[length] != 0)
        length++;
}

int puts(const char *s)
{
    return __regatta_put(&__regatta_stdout, __regatta_not_negative((int)strlen(s) + 1));
}

__regatta_size_t fwrite(const void *buffer, __regatta_size_t size, __regatta_size_t count, void *stream)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    (void)buffer;
    if (size == 0 || count == 0)
        return 0;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        __regatta_elsewhere(stream);
        __VERIFIER_assume(length <= count);
        return length;
    }
    if (__regatta_not_for_output(stream))
        return 0;
    __VERIFIER_assume(length <= count);
    if (length < count) {
        ((__regatta_file *)stream)->error = 1;
        __regatta_fail();
    }
    return length;
}

int fflush(void *stream)
{
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream) ? -1 : 0;
    return __regatta_done_or_failed();
}

/* The contents of the buffer are indeterminate from then on. */
int setvbuf(void *stream, char *buffer, int mode, __regatta_size_t size)
{
    (void)size;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream, buffer);
    if (mode < 0 || mode > 2)
        return -1;
    if (buffer != 0)
        __regatta_unsupported("a stream with a buffer of the program");
    return __VERIFIER_nondet_bool() ? -1 : 0;
}

void setbuf(void *stream, char *buffer)
{
    setvbuf(stream, buffer, 0, 8192);
}

void setbuffer(void *stream, char *buffer, __regatta_size_t size)
{
    setvbuf(stream, buffer, 0, size);
}

/* Error messages on the standard error may fail, too. */

void perror(const char *s)
{
    fputs(s, &__regatta_stderr);
}

void psignal(int signal, const char *s)
{
    (void)signal;
    fputs(s, &__regatta_stderr);
}

void warn(const char *format, ...)
{
    fputs(format, &__regatta_stderr);
}

void warnx(const char *format, ...)
{
    fputs(format, &__regatta_stderr);
}

static void *__regatta_new_stream(int constrained, _Bool output)
{
    __regatta_file *file = __VERIFIER_nondet_bool() ? malloc(sizeof(__regatta_file)) : 0;
    if (file == 0) {
        __regatta_fail();
        return 0;
    }
    __regatta_streams_used = 1;
    file->end = 0;
    file->error = 0;
    file->pushed = 0;
    file->constrained = constrained;
    file->output = output;
    if (__regatta_streams_elsewhere())
        file->own = 1;
    return file;
}

/* The kind of a mode: 1 for reading, 2 for writing, 3 for both, 0 if it is invalid. */
static int __regatta_stream_mode(const char *mode)
{
    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') {
        __regatta_invalid();
        return 0;
    }
    if (mode[1] == '+' || (mode[1] != 0 && (mode[2] == '+' || (mode[2] != 0 && mode[3] == '+'))))
        return 3;
    return mode[0] == 'r' ? 1 : 2;
}

static int __regatta_stream_constraint(const char *mode, int kind)
{
    if (kind == 2)
        return 3;
    return mode[0] != 'r' || __regatta_written ? 2 : 0;
}

/* Each open stream is a distinct object. */
static void *__regatta_open_stream(const char *mode)
{
    int kind = __regatta_stream_mode(mode);
    if (kind == 0)
        return 0;
    void *file = __regatta_new_stream(__regatta_stream_constraint(mode, kind), kind != 1);
    if (file != 0 && kind != 1)
        __regatta_written = 1;
    return file;
}

/* The mode is checked first. */
void *fopen(const char *name, const char *mode)
{
    if (__regatta_stream_mode(mode) == 0 || __regatta_no_path(name))
        return 0;
    return __regatta_open_stream(mode);
}

void *fdopen(int file, const char *mode)
{
    if (__regatta_stream_mode(mode) == 0)
        return 0;
    if (__regatta_is_closed(file)) {
        __regatta_bad_file();
        return 0;
    }
    return __regatta_open_stream(mode);
}

void *tmpfile(void)
{
    return __regatta_new_stream(2, 1);
}

void *freopen(const char *name, const char *mode, void *stream)
{
    __regatta_file *file = stream;
    int kind = __regatta_stream_mode(mode);
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        __regatta_unsupported("a stream of unknown code for another file");
    __regatta_streams_used = 1;
    if (kind == 0 || (name != 0 && __regatta_no_path(name)))
        return 0;
    if (__VERIFIER_nondet_bool()) {
        __regatta_fail();
        return 0;
    }
    file->end = 0;
    file->error = 0;
    file->pushed = 0;
    file->constrained = kind == 2 ? 3 : 2;
    file->output = kind != 1;
    __regatta_written = 1;
    return stream;
}

int fclose(void *stream)
{
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream) ? -1 : 0;
    __regatta_streams_used = 1;
    if (stream != &__regatta_stdin && stream != &__regatta_stdout && stream != &__regatta_stderr)
        free(stream);
    return __regatta_done_or_failed();
}

/* Streams under a check of memory: objects that the program cannot free. `own` is 2 behind `fclose`. */

static __regatta_file __regatta_few_streams[8];

static int __regatta_stream_count;

void *__regatta_opened(const char *name, const char *mode)
{
    int kind = __regatta_stream_mode(mode);
    if (kind == 0 || __regatta_no_path(name))
        return 0;
    __regatta_read_text(name, -1);
    if (__VERIFIER_nondet_bool()) {
        __regatta_fail();
        return 0;
    }
    if (__regatta_stream_count == 8)
        __regatta_unsupported("more than 8 streams under a check of memory");
    __regatta_file *file = &__regatta_few_streams[__regatta_stream_count];
    __regatta_stream_count++;
    __regatta_streams_used = 1;
    file->constrained = __regatta_stream_constraint(mode, kind);
    file->output = kind != 1;
    file->own = 1;
    if (kind != 1)
        __regatta_written = 1;
    return file;
}

/* Under a check of memory: the stream has to be open. */
void __regatta_use_stream(void *stream)
{
    if (((__regatta_file *)stream)->own == 2)
        __regatta_unsupported("a stream that is closed");
}

int __regatta_closed(void *stream)
{
    __regatta_use_stream(stream);
    __regatta_streams_used = 1;
    ((__regatta_file *)stream)->own = 2;
    return __regatta_done_or_failed();
}

int feof(void *stream)
{
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream) != 0;
    return ((__regatta_file *)stream)->end != 0;
}

/* An earlier output with an ignored result may have failed. */
int ferror(void *stream)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream) != 0;
    if (stream == &__regatta_stdout || stream == &__regatta_stderr || file->output) {
        if (__VERIFIER_nondet_bool())
            file->error = 1;
    }
    return file->error != 0;
}

void clearerr(void *stream)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        __regatta_elsewhere(stream);
        return;
    }
    file->end = 0;
    file->error = 0;
}

int fileno(void *stream)
{
    if (stream == &__regatta_stdin)
        return 0;
    if (stream == &__regatta_stdout)
        return 1;
    if (stream == &__regatta_stderr)
        return 2;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream);
    int file = __regatta_unknown_int();
    __VERIFIER_assume(file >= -1);
    return file;
}

static int __regatta_set_position(void *stream, long long offset, int whence)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream);
    if (whence < 0 || whence > 4)
        return __regatta_invalid();
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    /* Positions are not negative; SEEK_DATA and SEEK_HOLE are Linux's. */
    if (whence > 2 || (whence == 0 && offset < 0))
        __regatta_only_perhaps();
    file->end = 0;
    file->pushed = 0;
    if (file->constrained != 3)
        file->constrained = 2;
    return 0;
}

int fseek(void *stream, long offset, int whence)
{
    return __regatta_set_position(stream, offset, whence);
}

int fseeko(void *stream, long offset, int whence)
{
    return __regatta_set_position(stream, offset, whence);
}

int fseeko64(void *stream, long long offset, int whence)
{
    return __regatta_set_position(stream, offset, whence);
}

void rewind(void *stream)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream)) {
        __regatta_elsewhere(stream);
        return;
    }
    file->end = 0;
    file->error = 0;
    file->pushed = 0;
    if (file->constrained != 3)
        file->constrained = 2;
}

/* Whether it fails is an input; otherwise the position, which depends on the program's operations, is unknown. */
long ftell(void *stream)
{
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        return __regatta_elsewhere(stream);
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    long position = (long)__regatta_unknown_size();
    __VERIFIER_assume(position >= 0);
    return position;
}

long ftello(void *stream)
{
    return ftell(stream);
}

long long ftello64(void *stream)
{
    (void)stream;
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    long long position = __regatta_unknown_longlong();
    __VERIFIER_assume(position >= 0);
    return position;
}

/* Scanning a stream: the lowering composes these functions by the format. `count` is the result of the call: the number
   of assigned conversions, or -1 for an input failure before the first. */

static void __regatta_scan_begin(void *stream, int count, _Bool skips_white)
{
    __regatta_file *file = stream;
    if (__regatta_streams_elsewhere() && __regatta_is_elsewhere(stream))
        __regatta_unsupported("scanning a stream of unknown code");
    if (file->pushed != 0 || file->constrained >= 2 || (file->constrained == 1 && !skips_white)) {
        file->pushed = 0;
        __regatta_only_perhaps();
    } else if (file->end) {
        __VERIFIER_assume(count == -1);
    }
}

static int __regatta_scan_end(void *stream, int count, int wanted)
{
    __regatta_file *file = stream;
    if (count == -1) {
        if (!file->end)
            __regatta_nothing_read(file);
    } else {
        if (__VERIFIER_nondet_bool())
            file->end = 1;
        /* A character that does not match, or that ends a number, is not consumed. */
        if (file->constrained != 3)
            file->constrained = count < wanted || file->constrained == 2 ? 2 : 1;
    }
    return count;
}

/* One to `width` characters, none of them white space. */
static void __regatta_scan_word(char *to, __regatta_size_t width)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length >= 1 && length <= width);
    for (__regatta_size_t i = 0; i < length; i++) {
        char character = __VERIFIER_nondet_char();
        __VERIFIER_assume(character != ' ' && (character < '\t' || character > '\r'));
        to[i] = character;
    }
    to[length] = 0;
}

static _Bool __regatta_in_set(char character, unsigned long long first, unsigned long long second,
                              unsigned long long third, unsigned long long fourth)
{
    unsigned char c = (unsigned char)character;
    unsigned long long word = c < 64 ? first : c < 128 ? second : c < 192 ? third : fourth;
    return word >> (c & 63) & 1;
}

static void __regatta_scan_set(char *to, __regatta_size_t width, unsigned long long first, unsigned long long second,
                               unsigned long long third, unsigned long long fourth)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length >= 1 && length <= width);
    for (__regatta_size_t i = 0; i < length; i++) {
        char character = __VERIFIER_nondet_char();
        __VERIFIER_assume(__regatta_in_set(character, first, second, third, fourth));
        to[i] = character;
    }
    to[length] = 0;
}

/* At the end of the input, there may be fewer characters. */
static void __regatta_scan_characters(char *to, __regatta_size_t width)
{
    __regatta_size_t length = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(length >= 1 && length <= width);
    if (length < width)
        __regatta_only_perhaps();
    for (__regatta_size_t i = 0; i < length; i++)
        to[i] = __VERIFIER_nondet_char();
}

/* Scanning a string. */

static const char *__regatta_skip_white(const char *s)
{
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    return s;
}

/* Scans a number of at most `width` characters; returns its end, or null if there is none. As in glibc, a value out of
   the range of `strtol` and its like, which the largest values give, is replaced by the range's bound. */
static const char *__regatta_scan_number(const char *s, __regatta_size_t width, int base, unsigned long long largest,
                                         unsigned long long largest_negative, unsigned long long *result)
{
    unsigned long long value = 0;
    _Bool negative = 0;
    _Bool overflow = 0;
    _Bool found = 0;
    _Bool prefix = 0;
    if (width > 0 && (*s == '-' || *s == '+')) {
        negative = *s == '-';
        s++;
        width--;
    }
    if ((base == 0 || base == 16) && width > 0 && *s == '0') {
        found = 1;
        s++;
        width--;
        if (width > 0 && (*s == 'x' || *s == 'X')) {
            s++;
            width--;
            base = 16;
            found = 0;
            prefix = 1;
        } else if (base == 0) {
            base = 8;
        }
    } else if (base == 0) {
        base = 10;
    }
    for (; width > 0; width--) {
        int digit;
        if (*s >= '0' && *s <= '9')
            digit = *s - '0';
        else if (*s >= 'a' && *s <= 'f')
            digit = *s - 'a' + 10;
        else if (*s >= 'A' && *s <= 'F')
            digit = *s - 'A' + 10;
        else
            break;
        if (digit >= base)
            break;
        if (overflow || value > ((negative ? largest_negative : largest) - digit) / base)
            overflow = 1;
        else
            value = value * base + digit;
        found = 1;
        s++;
    }
    /* A prefix alone does not match, but glibc reads it as zero. */
    if (prefix && !found && __regatta_unknown_int()) {
        found = 1;
        if (__regatta_unknown_int())
            s--;
    }
    if (overflow) {
        *__errno_location() = 34; /* ERANGE */
        value = negative ? largest_negative : largest;
        /* An unsigned overflow gives the largest number, also after a minus sign. */
        if (largest_negative == largest)
            negative = 0;
    }
    *result = negative ? -value : value;
    return found ? s : 0;
}

/* Printing into a string of `size` bytes: the lowering composes these functions by the format. Each writes what fits at
   `at` and returns the position after its output. */

static __regatta_size_t __regatta_print_character(char *to, __regatta_size_t size, __regatta_size_t at, char character)
{
    if (at + 1 < size)
        to[at] = character;
    return at + 1;
}

static __regatta_size_t __regatta_print_padding(char *to, __regatta_size_t size, __regatta_size_t at, char character,
                                                int count)
{
    for (; count > 0; count--)
        at = __regatta_print_character(to, size, at, character);
    return at;
}

/* A string of at most `precision` characters; unlimited if that is negative. */
static __regatta_size_t __regatta_print_text(char *to, __regatta_size_t size, __regatta_size_t at, const char *s,
                                             int precision, int width, int flags)
{
    int length = 0;
    if (s == 0)
        __regatta_unsupported("a null pointer is printed as a string");
    while ((precision < 0 || length < precision) && s[length] != 0)
        length++;
    if ((flags & 1) == 0)
        at = __regatta_print_padding(to, size, at, ' ', width - length);
    for (int i = 0; i < length; i++)
        at = __regatta_print_character(to, size, at, s[i]);
    if (flags & 1)
        at = __regatta_print_padding(to, size, at, ' ', width - length);
    return at;
}

/* Flags: 1 is `-`, 2 is `0`, 4 is `+`, 8 is a blank, 16 is `#`, 32 is upper case. */
static __regatta_size_t __regatta_print_number(char *to, __regatta_size_t size, __regatta_size_t at,
                                               unsigned long long magnitude, unsigned base, char sign, int precision,
                                               int width, int flags)
{
    char digits[24];
    int count = 0;
    int prefix = sign != 0;
    _Bool padded = (flags & 3) == 2 && precision < 0;
    unsigned long long rest = magnitude;
    while (rest != 0) {
        unsigned digit = (unsigned)(rest % base);
        digits[count] = (char)(digit < 10 ? '0' + digit : (flags & 32 ? 'A' : 'a') + (digit - 10));
        count++;
        rest /= base;
    }
    if (precision < 0) {
        if (count == 0) {
            digits[0] = '0';
            count = 1;
        }
    }
    if (base == 8 && (flags & 16) && precision <= count && (count == 0 || digits[count - 1] != '0'))
        precision = count + 1;
    if (base == 16 && (flags & 16) && magnitude != 0)
        prefix = 2;
    if (padded && precision < width - prefix)
        precision = width - prefix;
    int zeros = precision > count ? precision - count : 0;
    int blanks = width - prefix - zeros - count;
    if ((flags & 1) == 0)
        at = __regatta_print_padding(to, size, at, ' ', blanks);
    if (prefix == 2) {
        at = __regatta_print_character(to, size, at, '0');
        at = __regatta_print_character(to, size, at, flags & 32 ? 'X' : 'x');
    } else if (prefix == 1) {
        at = __regatta_print_character(to, size, at, sign);
    }
    at = __regatta_print_padding(to, size, at, '0', zeros);
    while (count > 0) {
        count--;
        at = __regatta_print_character(to, size, at, digits[count]);
    }
    if (flags & 1)
        at = __regatta_print_padding(to, size, at, ' ', blanks);
    return at;
}

static __regatta_size_t __regatta_print_signed(char *to, __regatta_size_t size, __regatta_size_t at, long long value,
                                               int precision, int width, int flags)
{
    unsigned long long magnitude = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
    char sign = value < 0 ? '-' : flags & 4 ? '+' : flags & 8 ? ' ' : 0;
    return __regatta_print_number(to, size, at, magnitude, 10, sign, precision, width, flags);
}

static __regatta_size_t __regatta_print_unsigned(char *to, __regatta_size_t size, __regatta_size_t at,
                                                 unsigned long long value, unsigned base, int precision, int width,
                                                 int flags)
{
    return __regatta_print_number(to, size, at, value, base, 0, precision, width, flags);
}

static __regatta_size_t __regatta_print_binary(char *to, __regatta_size_t size, __regatta_size_t at,
                                               unsigned long long value, int precision, int width, int flags)
{
    int count = 0;
    int prefix = (flags & 16) && value != 0 ? 2 : 0;
    for (unsigned long long rest = value; rest != 0; rest >>= 1)
        count++;
    if (count == 0 && precision < 0)
        count = 1;
    if ((flags & 3) == 2 && precision < 0)
        precision = width - prefix;
    int zeros = precision > count ? precision - count : 0;
    int blanks = width - prefix - zeros - count;
    if ((flags & 1) == 0)
        at = __regatta_print_padding(to, size, at, ' ', blanks);
    if (prefix == 2) {
        at = __regatta_print_character(to, size, at, '0');
        at = __regatta_print_character(to, size, at, flags & 32 ? 'B' : 'b');
    }
    at = __regatta_print_padding(to, size, at, '0', zeros);
    while (count > 0) {
        count--;
        at = __regatta_print_character(to, size, at, value >> count & 1 ? '1' : '0');
    }
    if (flags & 1)
        at = __regatta_print_padding(to, size, at, ' ', blanks);
    return at;
}

/* Unknown characters: at least `least` of them, and at most 5000 more than `least` and the precision. */
static __regatta_size_t __regatta_print_unknown(char *to, __regatta_size_t size, __regatta_size_t at, int precision,
                                                int least)
{
    int length = __regatta_unknown_int();
    __VERIFIER_assume(length >= least && length - least <= 5000 + (precision > 0 ? precision : 0));
    for (int i = 0; i < length; i++)
        at = __regatta_print_character(to, size, at, __regatta_unknown_char());
    return at;
}

static void __regatta_print_end(char *to, __regatta_size_t size, __regatta_size_t at)
{
    if (size > 0)
        to[at < size ? at : size - 1] = 0;
}

/* Whether a wide character has no representation. */
static _Bool __regatta_encoding_fails(void)
{
    if (!__regatta_unknown_int())
        return 0;
    *__errno_location() = 84; /* EILSEQ */
    return 1;
}

/* Printing with an unknown format: neither the length nor the characters are modelled. */
int __regatta_print_any(char *to, __regatta_size_t size)
{
    int length = __regatta_unknown_int();
    __VERIFIER_assume(length >= 0);
    if (size > 0) {
        __regatta_size_t i = 0;
        while (i < size - 1 && i < (__regatta_size_t)length) {
            to[i] = __regatta_unknown_char();
            i++;
        }
        to[i] = 0;
    }
    return __regatta_encoding_fails() ? -1 : length;
}

/* An unknown format may contain `%n`, if some string literal does. */
void __regatta_no_counts(void)
{
    if (__regatta_counts_matter())
        __regatta_unsupported("a format that may have a `%n` in it");
}

int vsprintf(char *to, const char *format, __builtin_va_list arguments)
{
    __regatta_no_counts();
    (void)format;
    return __regatta_print_any(to, (__regatta_size_t)-1);
}

int vsnprintf(char *to, __regatta_size_t size, const char *format, __builtin_va_list arguments)
{
    __regatta_no_counts();
    (void)format;
    return __regatta_print_any(to, size);
}

/* Output of unknown length. */
int __regatta_output_any(void *stream)
{
    if (__regatta_put(stream, 0) < 0 || __regatta_encoding_fails())
        return -1;
    int length = __regatta_unknown_int();
    __VERIFIER_assume(length >= 0);
    return length;
}

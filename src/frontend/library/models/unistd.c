/* <unistd.h>, <fcntl.h>, <arpa/inet.h>: the results of system calls are inputs within the limits of POSIX. */

/* The file descriptors below 64 that the program opened, and those that it closed. */

static unsigned long long __regatta_open_files;

static unsigned long long __regatta_closed_files;

/* The last descriptor beyond these, while none of them was closed: the next one is larger. Else -1. */

static int __regatta_high_file;

/* The descriptors below 64 that were opened for reading only. */

static unsigned long long __regatta_input_files;

static _Bool __regatta_is_closed(int file)
{
    return file < 0 || (file < 64 && (__regatta_closed_files >> file & 1));
}

static _Bool __regatta_is_for_input(int file)
{
    return file >= 0 && file < 64 && (__regatta_input_files >> file & 1);
}

static int __regatta_done_at_path(const char *name)
{
    return __regatta_no_path(name) ? -1 : __regatta_done_or_failed();
}

static int __regatta_bad_file(void)
{
    *__errno_location() = 9; /* EBADF */
    return -1;
}

/* The lowest descriptor that is not open. No alarm rests on standard descriptors that are closed at the start, on
   others that are open, or on those of streams. */
static int __regatta_new_file(void)
{
    unsigned long long taken = __regatta_open_files | (7 & ~__regatta_closed_files);
    int file = __VERIFIER_nondet_int();
    __VERIFIER_assume(file >= -1 && file < 1048576);
    if (file < 0)
        return __regatta_fail();
    if (__regatta_streams_used || taken == ~0ULL || file != __builtin_ctzll(~taken))
        __regatta_only_perhaps();
    if (file < 64) {
        __regatta_input_files &= ~(1ULL << file);
        __VERIFIER_assume(!(__regatta_open_files >> file & 1));
        __regatta_open_files |= 1ULL << file;
        __regatta_closed_files &= ~(1ULL << file);
    } else if (__regatta_high_file >= 0) {
        __VERIFIER_assume(file > __regatta_high_file);
        __regatta_high_file = file;
    }
    return file;
}

int open(const char *name, int flags, ...)
{
    if (__regatta_no_path(name))
        return -1;
    int file = __regatta_new_file();
    if (file >= 0 && (flags & 3) != 0)
        __regatta_written = 1;
    if (file >= 0 && file < 64 && (flags & 3) == 0)
        __regatta_input_files |= 1ULL << file;
    return file;
}

int creat(const char *name, unsigned mode)
{
    (void)mode;
    return open(name, 1);
}

int close(int file)
{
    if (__regatta_is_closed(file))
        return __regatta_bad_file();
    if (file < 64) {
        __regatta_open_files &= ~(1ULL << file);
        __regatta_closed_files |= 1ULL << file;
    } else {
        __regatta_high_file = -1;
    }
    return __regatta_done_or_failed();
}

int dup(int file)
{
    if (__regatta_is_closed(file))
        return __regatta_bad_file();
    __regatta_written = 1;
    _Bool input = __regatta_is_for_input(file);
    int copy = __regatta_new_file();
    if (input && copy >= 0 && copy < 64)
        __regatta_input_files |= 1ULL << copy;
    return copy;
}

int dup2(int file, int wanted)
{
    if (__regatta_is_closed(file) || wanted < 0)
        return __regatta_bad_file();
    /* No effect if both are the same open descriptor. */
    if (file == wanted && (file < 3 || (file < 64 && (__regatta_open_files >> file & 1))))
        return wanted;
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    __regatta_written = 1;
    if (wanted < 64) {
        _Bool input = __regatta_is_for_input(file);
        __regatta_open_files |= 1ULL << wanted;
        __regatta_closed_files &= ~(1ULL << wanted);
        __regatta_input_files &= ~(1ULL << wanted);
        if (input)
            __regatta_input_files |= 1ULL << wanted;
    } else {
        __regatta_high_file = -1;
    }
    return wanted;
}

int pipe(int *files)
{
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    int first = __regatta_new_file();
    int second = __regatta_new_file();
    __VERIFIER_assume(first >= 0 && second >= 0 && first != second);
    if (first < 64)
        __regatta_input_files |= 1ULL << first;
    files[0] = first;
    files[1] = second;
    __regatta_written = 1;
    return 0;
}

long read(int file, void *buffer, __regatta_size_t size)
{
    char *bytes = buffer;
    long length = __VERIFIER_nondet_long();
    if (__regatta_is_closed(file))
        return __regatta_bad_file();
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    if (length < 0)
        return __regatta_fail();
    if (__regatta_written)
        __regatta_only_perhaps();
    /* Apart, so that in the loop it is known that something is written. */
    if (length == 0)
        return 0;
    for (long i = 0; i < length; i++)
        bytes[i] = __VERIFIER_nondet_char();
    return length;
}

long write(int file, const void *buffer, __regatta_size_t size)
{
    long length = __VERIFIER_nondet_long();
    (void)buffer;
    if (__regatta_is_closed(file) || __regatta_is_for_input(file))
        return __regatta_bad_file();
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    if (length < 0)
        return __regatta_fail();
    if (file > 2)
        __regatta_written = 1;
    return length;
}

static int __regatta_seek(int file, long long offset, int whence)
{
    if (__regatta_is_closed(file))
        return __regatta_bad_file();
    if (whence < 0 || whence > 4)
        return __regatta_invalid();
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    /* Only few devices have negative positions; SEEK_DATA and SEEK_HOLE are Linux's. */
    if (whence > 2 || (whence == 0 && offset < 0))
        __regatta_only_perhaps();
    __regatta_written = 1;
    return 0;
}

long long lseek64(int file, long long offset, int whence)
{
    if (__regatta_seek(file, offset, whence) != 0)
        return -1;
    long long position = __regatta_unknown_longlong();
    __VERIFIER_assume(position >= 0);
    return position;
}

long lseek(int file, long offset, int whence)
{
    if (__regatta_seek(file, offset, whence) != 0)
        return -1;
    long position = (long)__regatta_unknown_size();
    __VERIFIER_assume(position >= 0);
    return position;
}

int fsync(int file)
{
    return __regatta_is_closed(file) ? __regatta_bad_file() : __regatta_done_or_failed();
}

int isatty(int file)
{
    if (__regatta_is_closed(file)) {
        __regatta_bad_file();
        return 0;
    }
    if (__VERIFIER_nondet_bool())
        return 1;
    __regatta_fail();
    return 0;
}

int access(const char *name, int mode)
{
    if ((mode & ~7) != 0)
        return __regatta_invalid();
    return __regatta_done_at_path(name);
}

int unlink(const char *name)
{
    return __regatta_done_at_path(name);
}

int remove(const char *name)
{
    return __regatta_done_at_path(name);
}

int rename(const char *old, const char *new)
{
    if (__regatta_no_path(old) || __regatta_no_path(new))
        return -1;
    __regatta_written = 1;
    return __regatta_done_or_failed();
}

int mkdir(const char *name, unsigned mode)
{
    (void)mode;
    return __regatta_done_at_path(name);
}

int rmdir(const char *name)
{
    return __regatta_done_at_path(name);
}

int chdir(const char *name)
{
    return __regatta_done_at_path(name);
}

int chmod(const char *name, unsigned mode)
{
    (void)mode;
    return __regatta_done_at_path(name);
}

int chown(const char *name, unsigned owner, unsigned group)
{
    (void)owner;
    (void)group;
    return __regatta_done_at_path(name);
}

/* A status as of `wait`: the command's exit status, or the signal that ended it. Without a command: whether there is a
   shell. */
int system(const char *command)
{
    int status = __VERIFIER_nondet_int();
    if (command == 0) {
        __VERIFIER_assume(status == 0 || status == 1);
        return status;
    }
    if (status == -1)
        return __regatta_fail();
    __VERIFIER_assume(status >= 0 && status <= 0xffff);
    if ((status & 0xff) != 0)
        __regatta_only_perhaps();
    __regatta_written = 1;
    return status;
}

/* The process and its users and groups: inputs that never change. */

static int __regatta_process;

static _Bool __regatta_users_known;

static unsigned __regatta_users[4];

int getpid(void)
{
    if (__regatta_process == 0) {
        int process = __VERIFIER_nondet_int();
        /* Linux numbers processes below 2^22 (PID_MAX_LIMIT). */
        __regatta_process = process > 0 && process < 4194304 ? process : 1;
    }
    return __regatta_process;
}

int getppid(void)
{
    int process = __VERIFIER_nondet_int();
    __VERIFIER_assume(process >= 0 && process < 4194304);
    return process;
}

static unsigned __regatta_user(int which)
{
    if (!__regatta_users_known) {
        for (int i = 0; i < 4; i++)
            __regatta_users[i] = __VERIFIER_nondet_uint();
        __regatta_users_known = 1;
    }
    return __regatta_users[which];
}

unsigned getuid(void)
{
    return __regatta_user(0);
}

unsigned geteuid(void)
{
    return __regatta_user(1);
}

unsigned getgid(void)
{
    return __regatta_user(2);
}

unsigned getegid(void)
{
    return __regatta_user(3);
}

static int __regatta_mask;

unsigned umask(unsigned mask)
{
    if (__regatta_mask == 0) {
        unsigned first = __VERIFIER_nondet_uint();
        __VERIFIER_assume(first <= 0777);
        __regatta_mask = (int)first + 1;
    }
    unsigned old = (unsigned)__regatta_mask - 1;
    __regatta_mask = (int)(mask & 0777) + 1;
    return old;
}

int getpagesize(void)
{
    __regatta_assumed_surroundings("a page has 4096 bytes");
    return 4096;
}

/* Only a handled signal ends a sleep early. */
unsigned sleep(unsigned seconds)
{
    unsigned left = __VERIFIER_nondet_uint();
    __VERIFIER_assume(left <= seconds);
    if (left != 0)
        __regatta_only_perhaps();
    return left;
}

int usleep(unsigned microseconds)
{
    (void)microseconds;
    if (__VERIFIER_nondet_bool()) {
        __regatta_only_perhaps();
        return __regatta_fail();
    }
    return 0;
}

/* `getopt` as in POSIX: arguments that are no options are not moved to the end. */

static int __regatta_shared_optind;

static int __regatta_shared_opterr;

static int __regatta_shared_optopt;

static char *__regatta_shared_optarg;

static __regatta_size_t __regatta_option_place;

int __regatta_initial_optind(void)
{
    return 1;
}

int __regatta_initial_opterr(void)
{
    return 1;
}

int __regatta_initial_optopt(void)
{
    return '?';
}

char *__regatta_initial_optarg(void)
{
    return 0;
}

static int __regatta_option(int count, char *const *arguments, const char *options, _Bool in_order)
{
    _Bool silent = options[0] == ':' || ((options[0] == '+' || options[0] == '-') && options[1] == ':');
    __regatta_shared_optarg = 0;
    if (__regatta_shared_optind == 0) {
        __regatta_shared_optind = 1;
        __regatta_option_place = 0;
    }
    if (__regatta_option_place == 0) {
        if (__regatta_shared_optind >= count)
            return -1;
        char *argument = arguments[__regatta_shared_optind];
        if (argument == 0)
            return -1;
        if (argument[0] != '-' || argument[1] == 0) {
            /* glibc takes later options first, unless the environment forbids it. */
            if (options[0] == '-')
                __regatta_unsupported("getopt with `-`");
            if (options[0] != '+' && !in_order) {
                for (int i = __regatta_shared_optind + 1; i < count; i++) {
                    if (arguments[i] != 0 && arguments[i][0] == '-' && arguments[i][1] != 0)
                        __regatta_unsupported("getopt that moves arguments");
                }
            }
            return -1;
        }
        if (argument[1] == '-' && argument[2] == 0) {
            __regatta_shared_optind++;
            return -1;
        }
        __regatta_option_place = 1;
    }
    char *argument = arguments[__regatta_shared_optind];
    char option = argument[__regatta_option_place];
    __regatta_option_place++;
    _Bool last = argument[__regatta_option_place] == 0;
    const char *found = options;
    if (*found == '+' || *found == '-')
        found++;
    while (*found != 0 && *found != option)
        found++;
    if (*found == 0 || option == ':' || option == ';') {
        __regatta_shared_optopt = option;
        if (last) {
            __regatta_shared_optind++;
            __regatta_option_place = 0;
        }
        return '?';
    }
    if (found[1] != ':') {
        if (last) {
            __regatta_shared_optind++;
            __regatta_option_place = 0;
        }
        return option;
    }
    __regatta_size_t place = __regatta_option_place;
    __regatta_option_place = 0;
    __regatta_shared_optind++;
    if (!last) {
        __regatta_shared_optarg = argument + place;
    } else if (found[2] != ':') {
        if (__regatta_shared_optind >= count) {
            __regatta_shared_optopt = option;
            return silent ? ':' : '?';
        }
        __regatta_shared_optarg = arguments[__regatta_shared_optind];
        __regatta_shared_optind++;
    }
    return option;
}

int getopt(int count, char *const *arguments, const char *options)
{
    return __regatta_option(count, arguments, options, 0);
}

/* The variant of getopt for plain POSIX. */
int __posix_getopt(int count, char *const *arguments, const char *options)
{
    return __regatta_option(count, arguments, options, 1);
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

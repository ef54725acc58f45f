/* <string.h>: blocks of bytes of any size; <stdlib.h>: allocation. */

void *__regatta_memcpy(void *to, const void *from, __regatta_size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (__regatta_size_t i = 0; i < size; i++)
        target[i] = source[i];
    return to;
}

void *__regatta_memmove(void *to, const void *from, __regatta_size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source) {
        for (__regatta_size_t i = 0; i < size; i++)
            target[i] = source[i];
    } else {
        for (__regatta_size_t i = size; i > 0; i--)
            target[i - 1] = source[i - 1];
    }
    return to;
}

void *__regatta_memset(void *to, int byte, __regatta_size_t size)
{
    unsigned char *target = to;
    for (__regatta_size_t i = 0; i < size; i++)
        target[i] = (unsigned char)byte;
    return to;
}

void *mempcpy(void *to, const void *from, __regatta_size_t size)
{
    memcpy(to, from, size);
    return (char *)to + size;
}

void *memccpy(void *to, const void *from, int byte, __regatta_size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (__regatta_size_t i = 0; i < size; i++) {
        target[i] = source[i];
        if (source[i] == (unsigned char)byte)
            return target + i + 1;
    }
    return 0;
}

void bzero(void *to, __regatta_size_t size)
{
    memset(to, 0, size);
}

void explicit_bzero(void *to, __regatta_size_t size)
{
    memset(to, 0, size);
}

void bcopy(const void *from, void *to, __regatta_size_t size)
{
    memmove(to, from, size);
}

int memcmp(const void *left, const void *right, __regatta_size_t size)
{
    const unsigned char *a = left;
    const unsigned char *b = right;
    for (__regatta_size_t i = 0; i < size; i++) {
        if (a[i] != b[i])
            return __regatta_order(a[i] - b[i]);
    }
    return 0;
}

/* Under a check of memory: all bytes are read, not only those up to the first difference. */
int __regatta_compared(const void *left, const void *right, __regatta_size_t size)
{
    const unsigned char *a = left;
    const unsigned char *b = right;
    int difference = 0;
    for (__regatta_size_t i = 0; i < size; i++) {
        int here = a[i] - b[i];
        if (difference == 0)
            difference = here;
    }
    return difference == 0 ? 0 : __regatta_order(difference);
}

int bcmp(const void *left, const void *right, __regatta_size_t size)
{
    return memcmp(left, right, size);
}

void *memchr(const void *block, int byte, __regatta_size_t size)
{
    const unsigned char *bytes = block;
    for (__regatta_size_t i = 0; i < size; i++) {
        if (bytes[i] == (unsigned char)byte)
            return (void *)(bytes + i);
    }
    return 0;
}

void *memrchr(const void *block, int byte, __regatta_size_t size)
{
    const unsigned char *bytes = block;
    for (__regatta_size_t i = size; i > 0; i--) {
        if (bytes[i - 1] == (unsigned char)byte)
            return (void *)(bytes + (i - 1));
    }
    return 0;
}

void *rawmemchr(const void *block, int byte)
{
    const unsigned char *bytes = block;
    while (*bytes != (unsigned char)byte)
        bytes++;
    return (void *)bytes;
}

void *memmem(const void *block, __regatta_size_t size, const void *wanted, __regatta_size_t wanted_size)
{
    const unsigned char *bytes = block;
    if (wanted_size > size)
        return 0;
    for (__regatta_size_t i = 0; i <= size - wanted_size; i++) {
        if (memcmp(bytes + i, wanted, wanted_size) == 0)
            return (void *)(bytes + i);
    }
    return 0;
}

/* Under a check of memory `realloc` always moves the object: a pointer to the old one must not be used whatever happens. */
void *__regatta_moved(void *old, __regatta_size_t size)
{
    if (old == 0)
        return malloc(size);
    if (size == 0) {
        __regatta_assumed_library("realloc to no bytes frees and gives null, as in glibc");
        free(old);
        return 0;
    }
    __regatta_size_t old_size = __regatta_allocated_size(old);
    unsigned char *result = malloc(size);
    if (result != 0) {
        const unsigned char *source = old;
        for (__regatta_size_t i = 0; i < size && i < old_size; i++)
            result[i] = source[i];
        free(old);
    }
    return result;
}

/* Sets errno if an allocation failed. */
void __regatta_allocation(void *block)
{
    if (block == 0)
        *__errno_location() = 12; /* ENOMEM */
}

/* A size of zero frees, as in glibc. The object may keep its address, or move. */
void *realloc(void *old, __regatta_size_t size)
{
    if (old == 0)
        return malloc(size);
    if (size == 0) {
        __regatta_assumed_library("realloc to no bytes frees and gives null, as in glibc");
        free(old);
        return 0;
    }
    __regatta_size_t old_size = __regatta_allocated_size(old);
    if (__VERIFIER_nondet_bool())
        return size <= old_size ? old : __regatta_resized(old, size);
    unsigned char *result = malloc(size);
    if (result != 0) {
        const unsigned char *source = old;
        for (__regatta_size_t i = 0; i < size && i < old_size; i++)
            result[i] = source[i];
        free(old);
    }
    return result;
}

void *reallocarray(void *old, __regatta_size_t count, __regatta_size_t size)
{
    if (size != 0 && count > (__regatta_size_t)-1 / size) {
        *__errno_location() = 12; /* ENOMEM */
        return 0;
    }
    return realloc(old, count * size);
}

int posix_memalign(void **result, __regatta_size_t alignment, __regatta_size_t size)
{
    void *block;
    switch (alignment) {
    case 4:
        if (sizeof(void *) != 4)
            return 22; /* EINVAL */
        block = aligned_alloc(8, size);
        break;
    case 8:
        block = aligned_alloc(8, size);
        break;
    case 16:
        block = aligned_alloc(16, size);
        break;
    case 32:
        block = aligned_alloc(32, size);
        break;
    case 64:
        block = aligned_alloc(64, size);
        break;
    default:
        if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
            return 22;
        if (alignment > 4096)
            __regatta_unsupported("posix_memalign with an alignment of more than 4096");
        block = aligned_alloc(4096, size);
    }
    if (block == 0)
        return 12;
    *result = block;
    return 0;
}

void *valloc(__regatta_size_t size)
{
    return aligned_alloc(4096, size);
}

/* The usable size is at least the requested one, and constant for a block. */

static void *__regatta_measured_block;

static __regatta_size_t __regatta_measured_size;

__regatta_size_t malloc_usable_size(void *block)
{
    if (block == 0)
        return 0;
    if (block != __regatta_measured_block) {
        __regatta_size_t size = __regatta_allocated_size(block);
        /* glibc rounds small blocks up to multiples of 16 bytes, of which one word is its own. */
        __regatta_size_t usual = ((size + sizeof(void *) + 15) & ~(__regatta_size_t)15) - sizeof(void *);
        if (usual < 24 && sizeof(void *) == 8)
            usual = 24;
        if (__regatta_measured_block != 0 || size > 65536 || __VERIFIER_nondet_bool()) {
            usual = size + __regatta_unknown_size();
            __VERIFIER_assume(usual >= size && usual - size < 4096);
        }
        __regatta_measured_block = block;
        __regatta_measured_size = usual;
    }
    return __regatta_measured_size;
}

/* An alignment that is not a constant. */
void *__regatta_aligned_alloc(__regatta_size_t alignment, __regatta_size_t size)
{
    void *block;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        /* It fails, or takes the next power of two. */
        if (__regatta_unknown_int() || alignment > (__regatta_size_t)-1 / 2 + 1) {
            *__errno_location() = 22; /* EINVAL */
            return 0;
        }
        __regatta_size_t power = 1;
        while (power < alignment)
            power *= 2;
        alignment = power;
    }
    return posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) == 0 ? block : 0;
}

/* The fortified functions end the program if they would write beyond the object's size, where that is known. */

void *__memcpy_chk(void *to, const void *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return memcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return memmove(to, from, size);
}

void *__memset_chk(void *to, int byte, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return memset(to, byte, size);
}

void *__mempcpy_chk(void *to, const void *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return mempcpy(to, from, size);
}

char *__strcpy_chk(char *to, const char *from, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && strlen(from) + 1 > limit)
        abort();
    return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && strlen(from) + 1 > limit)
        abort();
    return stpcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return strncpy(to, from, size);
}

char *__stpncpy_chk(char *to, const char *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && size > limit)
        abort();
    return stpncpy(to, from, size);
}

char *__strcat_chk(char *to, const char *from, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && strlen(to) + strlen(from) + 1 > limit)
        abort();
    return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, __regatta_size_t size, __regatta_size_t limit)
{
    if (limit != (__regatta_size_t)-1 && strlen(to) + strnlen(from, size) + 1 > limit)
        abort();
    return strncat(to, from, size);
}

char *__fgets_chk(char *s, __regatta_size_t limit, int size, void *stream)
{
    if (limit != (__regatta_size_t)-1 && size > 0 && (__regatta_size_t)size > limit)
        abort();
    return fgets(s, size, stream);
}

long __read_chk(int file, void *buffer, __regatta_size_t size, __regatta_size_t limit)
{
    if (size > limit)
        abort();
    return read(file, buffer, size);
}

__regatta_size_t __fread_chk(void *buffer, __regatta_size_t limit, __regatta_size_t size, __regatta_size_t count,
                             void *stream)
{
    if (limit != (__regatta_size_t)-1 && size * count > limit)
        abort();
    return fread(buffer, size, count, stream);
}

/* Sockets, where operations are checked. They fail, or do what is wanted. */

/* A range that is read: both of its ends are in one object. */
static void __regatta_read_range(const void *range, __regatta_size_t size)
{
    const char *bytes = range;
    if (size != 0) {
        (void)bytes[0];
        (void)bytes[size - 1];
    }
}

int __regatta_new_socket(int domain, int type, int protocol)
{
    (void)domain;
    (void)type;
    (void)protocol;
    int file = __VERIFIER_nondet_int();
    if (file < 0)
        return __regatta_fail();
    return file;
}

/* `bind` and `connect`. */
int __regatta_addressed(int socket, const void *address, unsigned size)
{
    (void)socket;
    __regatta_read_range(address, size);
    return __regatta_done_or_failed();
}

int __regatta_listened(int socket, int waiting)
{
    (void)socket;
    (void)waiting;
    return __regatta_done_or_failed();
}

int __regatta_accepted(int socket, void *address, void *size)
{
    if (address != 0 || size != 0)
        __regatta_unsupported("the address of who connects");
    return __regatta_new_socket(socket, 0, 0);
}

unsigned __regatta_internet_address(const char *text)
{
    __regatta_read_text(text, -1);
    return __VERIFIER_nondet_uint();
}

long __regatta_sent(int socket, const void *buffer, __regatta_size_t size, int flags)
{
    (void)socket;
    (void)flags;
    __regatta_read_range(buffer, size);
    long length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    return length;
}

/* `recv`: writes as many bytes as it returns. */
long __regatta_received(int socket, void *buffer, __regatta_size_t size, int flags)
{
    char *bytes = buffer;
    long length = __VERIFIER_nondet_long();
    (void)socket;
    (void)flags;
    __VERIFIER_assume(length >= -1 && (length < 0 || (__regatta_size_t)length <= size));
    /* Apart, so that in the loop it is known that something is written. */
    if (length <= 0)
        return length;
    for (long i = 0; i < length; i++)
        bytes[i] = __VERIFIER_nondet_char();
    return length;
}

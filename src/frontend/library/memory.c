/* <string.h>: blocks of bytes whose size is not constant; <stdlib.h>: memory. */

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
            return a[i] - b[i];
    }
    return 0;
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

/* As in glibc: a size of zero frees. */
void *realloc(void *old, __regatta_size_t size)
{
    if (old == 0)
        return malloc(size);
    if (size == 0) {
        free(old);
        return 0;
    }
    unsigned char *result = malloc(size);
    if (result != 0) {
        __regatta_size_t old_size = __regatta_allocated_size(old);
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

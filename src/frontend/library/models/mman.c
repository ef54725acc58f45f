/* <sys/mman.h>: anonymous mappings. */

/* The first 16 mappings. */

static void *__regatta_mappings[16];

static int __regatta_mapping_count;

static void *__regatta_mapped(void *hint, __regatta_size_t size, int protection, int flags)
{
    /* MAP_PRIVATE and MAP_SHARED, MAP_ANONYMOUS, and flags without effect here. */
    if (!(flags & 0x20) || (flags & ~0x3f823) != 0)
        __regatta_unsupported("mmap of a file or at a fixed address");
    if ((protection & 3) != 3)
        __regatta_unsupported("mmap of memory that may not be read and written");
    __regatta_assumed_surroundings("a page has 4096 bytes");
    if (size > (__regatta_size_t)-1 / 2 || __VERIFIER_nondet_bool()) {
        __regatta_fail();
        return (void *)-1;
    }
    void *block = __regatta_zeroed_pages((size + 4095) & ~(__regatta_size_t)4095);
    if (__regatta_mapping_count < 16)
        __regatta_mappings[__regatta_mapping_count++] = block;
    return block;
}

void *mmap(void *hint, __regatta_size_t size, int protection, int flags, int file, long offset)
{
    if (size == 0 || (offset & 4095) != 0 || (flags & 3) == 0) {
        __regatta_invalid();
        return (void *)-1;
    }
    return __regatta_mapped(hint, size, protection, flags);
}

void *mmap64(void *hint, __regatta_size_t size, int protection, int flags, int file, long long offset)
{
    if (size == 0 || (offset & 4095) != 0 || (flags & 3) == 0) {
        __regatta_invalid();
        return (void *)-1;
    }
    return __regatta_mapped(hint, size, protection, flags);
}

/* A whole mapping is freed. A part of one stays accessible, but no alarm is confirmed from then on. */
int munmap(void *block, __regatta_size_t size)
{
    if (size == 0 || ((unsigned long)block & 4095) != 0)
        return __regatta_invalid();
    for (int i = 0; i < __regatta_mapping_count; i++) {
        if (__regatta_mappings[i] == block && __regatta_allocated_size(block) == ((size + 4095) & ~(__regatta_size_t)4095)) {
            __regatta_mappings[i] = 0;
            free(block);
            return 0;
        }
    }
    __regatta_only_perhaps();
    return __VERIFIER_nondet_bool() ? __regatta_fail() : 0;
}

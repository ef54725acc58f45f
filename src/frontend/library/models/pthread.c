/* <pthread.h>, <semaphore.h>, <threads.h> for one thread: the objects of the program look as they do with glibc on x86,
   byte by byte (a mutex has `__lock`, `__count`, `__owner`, …), since a program may read them. A call that would wait
   for ever ends the path. */

int pthread_attr_init(void *attributes)
{
    long *words = attributes;
    memset(words, 0, sizeof(void *) == 8 ? 56 : 36);
    words[sizeof(void *) == 8 ? 2 : 3] = getpagesize(); /* guard size */
    return 0;
}

int pthread_attr_destroy(void *attributes)
{
    (void)attributes;
    return 0;
}

/* Bit 0 of the flags, the third `int`. */
int pthread_attr_setdetachstate(void *attributes, int state)
{
    int *flags = (int *)attributes + 2;
    if (state != 0 && state != 1)
        return 22; /* EINVAL */
    *flags = (*flags & ~1) | state;
    return 0;
}

int pthread_attr_getdetachstate(const void *attributes, int *state)
{
    *state = *((const int *)attributes + 2) & 1;
    return 0;
}

/* Only PTHREAD_SCOPE_SYSTEM is supported, as in Linux. */
int pthread_attr_setscope(void *attributes, int scope)
{
    (void)attributes;
    if (scope == 0)
        return 0;
    return scope == 1 ? 95 : 22; /* ENOTSUP, EINVAL */
}

int pthread_attr_getscope(const void *attributes, int *scope)
{
    (void)attributes;
    *scope = 0;
    return 0;
}

/* The minimum stack size depends on the machine. */
int pthread_attr_setstacksize(void *attributes, __regatta_size_t size)
{
    if (size < 16384)
        return 22; /* EINVAL */
    if (size < 1048576 && __VERIFIER_nondet_bool()) {
        __regatta_only_perhaps();
        return 22;
    }
    *((__regatta_size_t *)attributes + (sizeof(void *) == 8 ? 4 : 5)) = size;
    return 0;
}

int pthread_attr_setguardsize(void *attributes, __regatta_size_t size)
{
    *((__regatta_size_t *)attributes + (sizeof(void *) == 8 ? 2 : 3)) = size;
    return 0;
}

int pthread_attr_getguardsize(const void *attributes, __regatta_size_t *size)
{
    *size = *((const __regatta_size_t *)attributes + (sizeof(void *) == 8 ? 2 : 3));
    return 0;
}

/* The environment's limit, if no size has been set. */
int pthread_attr_getstacksize(const void *attributes, __regatta_size_t *size)
{
    __regatta_size_t set = *((const __regatta_size_t *)attributes + (sizeof(void *) == 8 ? 4 : 5));
    if (set == 0) {
        set = 8388608;
        if (__VERIFIER_nondet_bool()) {
            set = __regatta_unknown_size();
            __VERIFIER_assume(set >= 16384);
        }
    }
    *size = set;
    return 0;
}

int pthread_attr_setinheritsched(void *attributes, int inherited)
{
    int *flags = (int *)attributes + 2;
    if (inherited != 0 && inherited != 1)
        return 22; /* EINVAL */
    *flags = (*flags & ~2) | inherited << 1;
    return 0;
}

int pthread_attr_getinheritsched(const void *attributes, int *inherited)
{
    *inherited = *((const int *)attributes + 2) >> 1 & 1;
    return 0;
}

int pthread_attr_setschedpolicy(void *attributes, int policy)
{
    int *words = attributes;
    if (policy < 0 || policy > 2)
        return 22; /* EINVAL */
    words[1] = policy;
    words[2] |= 64;
    return 0;
}

int pthread_attr_getschedpolicy(const void *attributes, int *policy)
{
    const int *words = attributes;
    if ((words[2] & 64) == 0)
        __regatta_only_perhaps();
    *policy = words[1];
    return 0;
}

/* Whether and when other threads may cancel this one. */

static int __regatta_cancel_state;

static int __regatta_cancel_type;

int pthread_setcancelstate(int state, int *old)
{
    if (state != 0 && state != 1)
        return 22; /* EINVAL */
    if (old != 0)
        *old = __regatta_cancel_state;
    __regatta_cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    if (type != 0 && type != 1)
        return 22; /* EINVAL */
    if (old != 0)
        *old = __regatta_cancel_type;
    __regatta_cancel_type = type;
    return 0;
}

/* Mutexes. */

static int *__regatta_lock_kind(void *lock)
{
    return (int *)lock + (sizeof(void *) == 8 ? 4 : 3);
}

static int *__regatta_lock_users(void *lock)
{
    return (int *)lock + (sizeof(void *) == 8 ? 3 : 4);
}

int pthread_mutexattr_init(void *attributes)
{
    *(int *)attributes = 0;
    return 0;
}

/* Other bits are for sharing, priorities and robustness. The plain type, set explicitly, disables lock elision (bit 9).
   */
int pthread_mutexattr_settype(void *attributes, int type)
{
    unsigned *bits = attributes;
    if (type < 0 || type > 3)
        return 22; /* EINVAL */
    *bits = (*bits & 0xf0fff000u) | (unsigned)(type == 0 ? 512 : type);
    return 0;
}

int pthread_mutexattr_gettype(const void *attributes, int *type)
{
    *type = *(const int *)attributes & 0x0f000dff;
    return 0;
}

int pthread_mutexattr_setpshared(void *attributes, int shared)
{
    unsigned *bits = attributes;
    if (shared != 0 && shared != 1)
        return 22; /* EINVAL */
    *bits = (*bits & 0x7fffffffu) | (unsigned)shared << 31;
    return 0;
}

int pthread_mutexattr_getpshared(const void *attributes, int *shared)
{
    *shared = *(const unsigned *)attributes >> 31;
    return 0;
}

int pthread_mutexattr_destroy(void *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_mutex_init(void *lock, const void *attributes)
{
    int *words = lock;
    unsigned bits = 0;
    if (attributes != 0)
        bits = *(const unsigned *)attributes;
    if ((bits & 0xf0fff000u) != 0)
        __regatta_unsupported("a mutex that is shared, robust or has a priority");
    memset(words, 0, sizeof(void *) == 8 ? 40 : 24);
    *__regatta_lock_kind(lock) = (int)bits;
    return 0;
}

/* The type of a mutex; -1 for one that has been destroyed. */
static int __regatta_lock_type(void *lock)
{
    int kind = *__regatta_lock_kind(lock);
    if (kind == -1)
        return -1;
    if ((kind & 0x7c) != 0)
        __regatta_unsupported("a mutex that is robust or has a priority");
    return kind & 3;
}

int pthread_mutex_destroy(void *lock)
{
    int *kind = __regatta_lock_kind(lock);
    if (*kind != -1 && *__regatta_lock_users(lock) != 0)
        return 16; /* EBUSY */
    *kind = -1;
    return 0;
}

static int __regatta_lock_taken(int *state, int type)
{
    state[0] = 1;
    if (type == 1)
        state[1] = 1;
    state[2] = getpid();
    ++*__regatta_lock_users(state);
    return 0;
}

int pthread_mutex_lock(void *lock)
{
    int *state = lock;
    int type = __regatta_lock_type(lock);
    if (type < 0)
        return 22; /* EINVAL */
    if (state[0] == 0)
        return __regatta_lock_taken(state, type);
    if (type == 2)
        return 35; /* EDEADLK */
    __VERIFIER_assume(type == 1);
    state[1]++;
    return 0;
}

int pthread_mutex_trylock(void *lock)
{
    int *state = lock;
    int type = __regatta_lock_type(lock);
    if (type < 0)
        return 22; /* EINVAL */
    if (state[0] == 0)
        return __regatta_lock_taken(state, type);
    if (type != 1)
        return 16; /* EBUSY */
    state[1]++;
    return 0;
}

int pthread_mutex_timedlock(void *lock, const void *until)
{
    int *state = lock;
    int type = __regatta_lock_type(lock);
    if (type < 0)
        return 22; /* EINVAL */
    if (state[0] == 0)
        return __regatta_lock_taken(state, type);
    if (type == 1) {
        state[1]++;
        return 0;
    }
    if (type == 2)
        return 35; /* EDEADLK */
    /* State 2: locked with waiters. An adaptive mutex has changed its spin count. */
    state[0] = 2;
    if (type == 3)
        *((short *)lock + 10) = (short)__regatta_unknown_int();
    long nanoseconds = *((const long *)until + 1);
    return nanoseconds < 0 || nanoseconds >= 1000000000 ? 22 : 110; /* EINVAL, ETIMEDOUT */
}

int __pthread_mutex_timedlock64(void *lock, const void *until)
{
    return pthread_mutex_timedlock(lock, until);
}

int pthread_mutex_unlock(void *lock)
{
    int *state = lock;
    int type = __regatta_lock_type(lock);
    if (type < 0)
        return 22; /* EINVAL */
    if (type == 1 || type == 2) {
        if (state[0] == 0)
            return 1; /* EPERM */
        if (type == 1) {
            state[1]--;
            if (state[1] != 0)
                return 0;
        }
    }
    state[0] = 0;
    state[2] = 0;
    --*__regatta_lock_users(lock);
    return 0;
}

/* Condition variables; no thread waits. */

int pthread_condattr_init(void *attributes)
{
    *(int *)attributes = 0;
    return 0;
}

int pthread_condattr_destroy(void *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_condattr_setclock(void *attributes, int clock)
{
    int *bits = attributes;
    if (clock != 0 && clock != 1)
        return 22; /* EINVAL */
    *bits = (*bits & ~2) | clock << 1;
    return 0;
}

int pthread_condattr_getclock(const void *attributes, int *clock)
{
    *clock = *(const int *)attributes >> 1 & 1;
    return 0;
}

int pthread_cond_init(void *condition, const void *attributes)
{
    int *words = condition;
    memset(words, 0, 48);
    if (attributes != 0)
        words[9] = *(const int *)attributes & 3;
    return 0;
}

int pthread_cond_destroy(void *condition)
{
    ((int *)condition)[9] |= 4;
    return 0;
}

/* A spin lock is 1 when it is free. */

int pthread_spin_init(void *lock, int shared)
{
    (void)shared;
    *(int *)lock = 1;
    return 0;
}

int pthread_spin_destroy(void *lock)
{
    (void)lock;
    return 0;
}

int pthread_spin_lock(void *lock)
{
    __VERIFIER_assume(*(int *)lock > 0);
    *(int *)lock = 0;
    return 0;
}

int pthread_spin_trylock(void *lock)
{
    int before = *(int *)lock;
    *(int *)lock = 0;
    return before > 0 ? 0 : 16; /* EBUSY */
}

int pthread_spin_unlock(void *lock)
{
    *(int *)lock = 1;
    return 0;
}

/* Locks for readers and writers. The first `int` has the number of readers from bit 3 on; bit 1 is set while a writer
   holds it, and bit 0 from then until the next reader. */

int pthread_rwlockattr_init(void *attributes)
{
    ((int *)attributes)[0] = 0;
    ((int *)attributes)[1] = 0;
    return 0;
}

int pthread_rwlockattr_destroy(void *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_rwlock_init(void *lock, const void *attributes)
{
    int *words = lock;
    memset(words, 0, sizeof(void *) == 8 ? 56 : 32);
    /* The preference for readers or writers, and sharing between processes. */
    if (attributes != 0 && (((const int *)attributes)[0] != 0 || ((const int *)attributes)[1] != 0)) {
        words[sizeof(void *) == 8 ? 7 : 6] = __regatta_unknown_int();
        if (sizeof(void *) == 8)
            words[12] = __regatta_unknown_int();
    }
    return 0;
}

int pthread_rwlock_destroy(void *lock)
{
    (void)lock;
    return 0;
}

static int __regatta_read_locked(int *words)
{
    if ((words[0] & 1) != 0)
        words[2] = 0;
    words[0] = (words[0] & ~1) + 8;
    return 0;
}

static int __regatta_write_locked(int *words)
{
    words[0] |= 3;
    words[2] = 1;
    words[3] = 1;
    words[sizeof(void *) == 8 ? 6 : 7] = getpid();
    return 0;
}

int pthread_rwlock_rdlock(void *lock)
{
    if ((*(int *)lock & 2) != 0)
        return 35; /* EDEADLK */
    return __regatta_read_locked(lock);
}

int pthread_rwlock_tryrdlock(void *lock)
{
    if ((*(int *)lock & 2) != 0)
        return 16; /* EBUSY */
    return __regatta_read_locked(lock);
}

int pthread_rwlock_wrlock(void *lock)
{
    if ((*(int *)lock & 2) != 0)
        return 35; /* EDEADLK */
    __VERIFIER_assume((*(int *)lock & ~1) == 0);
    return __regatta_write_locked(lock);
}

int pthread_rwlock_trywrlock(void *lock)
{
    if ((*(int *)lock & ~1) != 0)
        return 16; /* EBUSY */
    return __regatta_write_locked(lock);
}

int pthread_rwlock_unlock(void *lock)
{
    int *words = lock;
    if ((words[0] & 2) != 0) {
        words[0] &= ~2;
        words[3] = 0;
        words[sizeof(void *) == 8 ? 6 : 7] = 0;
    } else {
        words[0] -= 8;
    }
    return 0;
}

static unsigned long __regatta_thread;

unsigned long pthread_self(void)
{
    if (__regatta_thread == 0) {
        __regatta_thread = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(__regatta_thread != 0);
    }
    return __regatta_thread;
}

int pthread_equal(unsigned long left, unsigned long right)
{
    return left == right;
}

int pthread_once(void *once, void (*function)(void))
{
    int *done = once;
    /* A call during the function's own call would wait for itself. */
    __VERIFIER_assume(*done != 1);
    if (*done == 0) {
        *done = 1;
        function();
        *done = 2;
    }
    return 0;
}

/* A semaphore: with 32-bit pointers, bit 0 of the first word tells whether a thread waits. */

static unsigned __regatta_post(unsigned value)
{
    return sizeof(void *) == 8 ? value : value << 1;
}

static unsigned __regatta_posted(void *semaphore)
{
    unsigned word = *(unsigned *)semaphore;
    return sizeof(void *) == 8 ? word : word >> 1;
}

int sem_init(void *semaphore, int shared, unsigned value)
{
    unsigned *words = semaphore;
    if (value > 2147483647u) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    words[0] = __regatta_post(value);
    words[1] = 0;
    words[2] = sizeof(void *) == 8 && shared != 0 ? 128 : 0;
    if (sizeof(void *) == 4) {
        words[1] = shared != 0 ? 128 : 0;
        words[3] = 0;
    }
    return 0;
}

int sem_destroy(void *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_post(void *semaphore)
{
    unsigned value = __regatta_posted(semaphore);
    if (value == 2147483647u) {
        *__errno_location() = 75; /* EOVERFLOW */
        return -1;
    }
    *(unsigned *)semaphore = __regatta_post(value + 1);
    return 0;
}

int sem_wait(void *semaphore)
{
    unsigned value = __regatta_posted(semaphore);
    __VERIFIER_assume(value != 0);
    *(unsigned *)semaphore = __regatta_post(value - 1);
    return 0;
}

int sem_trywait(void *semaphore)
{
    unsigned value = __regatta_posted(semaphore);
    if (value == 0) {
        *__errno_location() = 11; /* EAGAIN */
        return -1;
    }
    *(unsigned *)semaphore = __regatta_post(value - 1);
    return 0;
}

int sem_getvalue(void *semaphore, int *result)
{
    *result = (int)__regatta_posted(semaphore);
    return 0;
}

/* C11: a kind with the bit 1 is recursive, and glibc takes any number; 0 is success, 1 is busy, 2 is an error. */

int mtx_init(void *lock, int kind)
{
    int *words = lock;
    memset(words, 0, sizeof(void *) == 8 ? 40 : 24);
    *__regatta_lock_kind(lock) = kind == 1 || kind == 3 ? 1 : 512;
    return 0;
}

void mtx_destroy(void *lock)
{
    pthread_mutex_destroy(lock);
}

int mtx_lock(void *lock)
{
    return pthread_mutex_lock(lock) == 0 ? 0 : 2;
}

/* It may fail spuriously. */
int mtx_trylock(void *lock)
{
    if (__VERIFIER_nondet_bool()) {
        __regatta_only_perhaps();
        return 1;
    }
    return pthread_mutex_trylock(lock) == 0 ? 0 : 1;
}

int mtx_unlock(void *lock)
{
    return pthread_mutex_unlock(lock) == 0 ? 0 : 2;
}

int cnd_init(void *condition)
{
    return pthread_cond_init(condition, 0);
}

void cnd_destroy(void *condition)
{
    pthread_cond_destroy(condition);
}

int cnd_signal(void *condition)
{
    (void)condition;
    return 0;
}

int cnd_broadcast(void *condition)
{
    (void)condition;
    return 0;
}

void call_once(void *once, void (*function)(void))
{
    pthread_once(once, function);
}

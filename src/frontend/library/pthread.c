/* <pthread.h>, <semaphore.h>, <threads.h> for one thread: locks are in the objects of the program, laid out as glibc
   has them (`__lock`, `__count`, `__owner`, …, `__kind`). What would wait for ever ends the path. */

static int *__regatta_lock_kind(void *lock)
{
    return (int *)lock + (sizeof(void *) == 8 ? 4 : 3);
}

int pthread_mutexattr_init(void *attributes)
{
    *(int *)attributes = 0;
    return 0;
}

int pthread_mutexattr_settype(void *attributes, int type)
{
    if (type < 0 || type > 3)
        return 22; /* EINVAL */
    *(int *)attributes = type;
    return 0;
}

int pthread_mutexattr_destroy(void *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_mutex_init(void *lock, const void *attributes)
{
    *(int *)lock = 0;
    *((int *)lock + 1) = 0;
    *__regatta_lock_kind(lock) = attributes == 0 ? 0 : *(const int *)attributes & 3;
    return 0;
}

int pthread_mutex_destroy(void *lock)
{
    return *(int *)lock != 0 ? 16 /* EBUSY */ : 0;
}

int pthread_mutex_lock(void *lock)
{
    int *state = lock;
    if (state[0] == 0) {
        state[0] = 1;
        state[1] = 1;
        return 0;
    }
    int kind = *__regatta_lock_kind(lock) & 3;
    if (kind == 2)
        return 35; /* EDEADLK */
    __VERIFIER_assume(kind == 1);
    state[1]++;
    return 0;
}

int pthread_mutex_trylock(void *lock)
{
    int *state = lock;
    if (state[0] != 0 && (*__regatta_lock_kind(lock) & 3) != 1)
        return 16; /* EBUSY */
    return pthread_mutex_lock(lock);
}

int pthread_mutex_timedlock(void *lock, const void *until)
{
    int *state = lock;
    (void)until;
    int kind = *__regatta_lock_kind(lock) & 3;
    if (state[0] != 0 && kind != 1)
        return kind == 2 ? 35 : 110; /* EDEADLK, ETIMEDOUT */
    return pthread_mutex_lock(lock);
}

int __pthread_mutex_timedlock64(void *lock, const void *until)
{
    return pthread_mutex_timedlock(lock, until);
}

int pthread_mutex_unlock(void *lock)
{
    int *state = lock;
    if (state[0] == 0 && (*__regatta_lock_kind(lock) & 3) != 0)
        return 1; /* EPERM */
    state[1]--;
    if (state[1] <= 0) {
        state[0] = 0;
        state[1] = 0;
    }
    return 0;
}

int pthread_spin_init(void *lock, int shared)
{
    (void)shared;
    *(int *)lock = 0;
    return 0;
}

int pthread_spin_destroy(void *lock)
{
    (void)lock;
    return 0;
}

int pthread_spin_lock(void *lock)
{
    __VERIFIER_assume(*(int *)lock == 0);
    *(int *)lock = 1;
    return 0;
}

int pthread_spin_trylock(void *lock)
{
    if (*(int *)lock != 0)
        return 16; /* EBUSY */
    *(int *)lock = 1;
    return 0;
}

int pthread_spin_unlock(void *lock)
{
    *(int *)lock = 0;
    return 0;
}

/* The first `int` counts readers, or is -1 for a writer. */

int pthread_rwlock_init(void *lock, const void *attributes)
{
    (void)attributes;
    *(int *)lock = 0;
    return 0;
}

int pthread_rwlock_destroy(void *lock)
{
    (void)lock;
    return 0;
}

int pthread_rwlock_rdlock(void *lock)
{
    if (*(int *)lock < 0)
        return 35; /* EDEADLK */
    ++*(int *)lock;
    return 0;
}

int pthread_rwlock_tryrdlock(void *lock)
{
    if (*(int *)lock < 0)
        return 16; /* EBUSY */
    ++*(int *)lock;
    return 0;
}

int pthread_rwlock_wrlock(void *lock)
{
    if (*(int *)lock < 0)
        return 35; /* EDEADLK */
    __VERIFIER_assume(*(int *)lock == 0);
    *(int *)lock = -1;
    return 0;
}

int pthread_rwlock_trywrlock(void *lock)
{
    if (*(int *)lock != 0)
        return 16; /* EBUSY */
    *(int *)lock = -1;
    return 0;
}

int pthread_rwlock_unlock(void *lock)
{
    if (*(int *)lock < 0)
        *(int *)lock = 0;
    else
        --*(int *)lock;
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
    /* One that is under way waits for itself. */
    __VERIFIER_assume(*done != 1);
    if (*done == 0) {
        *done = 1;
        function();
        *done = 2;
    }
    return 0;
}

int sem_init(void *semaphore, int shared, unsigned value)
{
    (void)shared;
    if (value > 2147483647u) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    *(unsigned *)semaphore = value;
    return 0;
}

int sem_destroy(void *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_post(void *semaphore)
{
    unsigned *value = semaphore;
    if (*value == 2147483647u) {
        *__errno_location() = 75; /* EOVERFLOW */
        return -1;
    }
    ++*value;
    return 0;
}

int sem_wait(void *semaphore)
{
    unsigned *value = semaphore;
    __VERIFIER_assume(*value != 0);
    --*value;
    return 0;
}

int sem_trywait(void *semaphore)
{
    unsigned *value = semaphore;
    if (*value == 0) {
        *__errno_location() = 11; /* EAGAIN */
        return -1;
    }
    --*value;
    return 0;
}

int sem_getvalue(void *semaphore, int *result)
{
    *result = (int)*(unsigned *)semaphore;
    return 0;
}

/* C11: a kind with the bit 1 is recursive; 0 is success, 1 is busy. */

int mtx_init(void *lock, int kind)
{
    *(int *)lock = 0;
    *((int *)lock + 1) = 0;
    *__regatta_lock_kind(lock) = kind & 1;
    return 0;
}

void mtx_destroy(void *lock)
{
    (void)lock;
}

int mtx_lock(void *lock)
{
    return pthread_mutex_lock(lock) == 0 ? 0 : 2;
}

/* It may be busy though nobody holds it. */
int mtx_trylock(void *lock)
{
    if (__regatta_unknown_int())
        return 1;
    return pthread_mutex_trylock(lock) == 0 ? 0 : 1;
}

int mtx_unlock(void *lock)
{
    return pthread_mutex_unlock(lock) == 0 ? 0 : 2;
}

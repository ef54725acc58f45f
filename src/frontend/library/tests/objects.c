/* Compares objects that the library initialises and changes, byte by byte: each call is made on three equal objects,
   one by the C library and two by the models. Unknown values have no bit set for one of the latter, all bits for the
   other; bytes in which the two differ may have any value. */

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int failures;

static unsigned char theirs[256], ours[2][256], source[3][64];

static const char *subject;

static size_t object_size;

static void begin(const char *name, size_t size)
{
    subject = name;
    object_size = size;
    memset(theirs, 0xa5, sizeof theirs);
    memset(ours, 0xa5, sizeof ours);
}

static void compare_results(const char *name, long left, long right, int left_error, int right_error)
{
    if (left == right && left_error == right_error)
        return;
    printf("%s of %s: %ld (%d), not %ld (%d)\n", name, subject, left, left_error, right, right_error);
    failures++;
}

static void compare_bytes(const char *name)
{
    for (size_t i = 0; i < object_size; i++) {
        if (theirs[i] != ours[0][i] && ours[0][i] == ours[1][i]) {
            printf("%s of %s: byte %zu is %02x, not %02x\n", name, subject, i, theirs[i], ours[0][i]);
            failures++;
        }
    }
}

/* `o` is the object, `s` another one that the same side has initialised. */
#define CALL(name, ...)                                                                                                \
    {                                                                                                                  \
        void *o = theirs, *s = source[0];                                                                              \
        (void)s;                                                                                                       \
        errno = 0;                                                                                                     \
        long left = (long)name(__VA_ARGS__);                                                                           \
        int left_error = errno;                                                                                        \
        for (int side = 0; side < 2; side++) {                                                                         \
            o = ours[side];                                                                                            \
            s = source[side + 1];                                                                                      \
            unknown_bits = -side;                                                                                      \
            *model___errno_location() = 0;                                                                             \
            long right = (long)model_##name(__VA_ARGS__);                                                              \
            compare_results(#name, left, right, left_error, *model___errno_location());                                \
        }                                                                                                              \
        unknown_bits = 0;                                                                                              \
        compare_bytes(#name);                                                                                          \
    }

/* The same for functions that return the object's address, or only write there. */
#define INTO(name, ...)                                                                                                \
    {                                                                                                                  \
        void *o = theirs;                                                                                              \
        name(__VA_ARGS__);                                                                                             \
        for (int side = 0; side < 2; side++) {                                                                         \
            o = ours[side];                                                                                            \
            model_##name(__VA_ARGS__);                                                                                 \
        }                                                                                                              \
        compare_bytes(#name);                                                                                          \
    }

/* Keeps the object as the source `s` of the next calls. */
static void keep(void)
{
    memcpy(source[0], theirs, sizeof source[0]);
    memcpy(source[1], ours[0], sizeof source[0]);
    memcpy(source[2], ours[1], sizeof source[0]);
}

static void mutexes(void)
{
    static const struct timespec past = { 1, 0 }, wrong = { 1, 2000000000 };
    int result;
    begin("a mutex", sizeof(pthread_mutex_t));
    CALL(pthread_mutex_init, o, 0)
    CALL(pthread_mutex_lock, o)
    CALL(pthread_mutex_trylock, o)
    CALL(pthread_mutex_destroy, o)
    CALL(pthread_mutex_unlock, o)
    CALL(pthread_mutex_unlock, o)
    CALL(pthread_mutex_destroy, o)
    CALL(pthread_mutex_init, o, 0)
    CALL(pthread_mutex_destroy, o)
    CALL(pthread_mutex_lock, o)
    CALL(pthread_mutex_trylock, o)
    CALL(pthread_mutex_unlock, o)
    CALL(pthread_mutex_destroy, o)
    for (int type = 0; type < 4; type++) {
        begin("attributes", sizeof(pthread_mutexattr_t));
        CALL(pthread_mutexattr_init, o)
        CALL(pthread_mutexattr_settype, o, 4)
        CALL(pthread_mutexattr_settype, o, -1)
        CALL(pthread_mutexattr_settype, o, type)
        CALL(pthread_mutexattr_gettype, o, &result)
        CALL(pthread_mutexattr_setpshared, o, 2)
        CALL(pthread_mutexattr_setpshared, o, 1)
        CALL(pthread_mutexattr_setpshared, o, 0)
        keep();
        begin("a mutex with a type", sizeof(pthread_mutex_t));
        CALL(pthread_mutex_init, o, s)
        CALL(pthread_mutex_unlock, o)
        CALL(pthread_mutex_init, o, s)
        CALL(pthread_mutex_lock, o)
        CALL(pthread_mutex_trylock, o)
        CALL(pthread_mutex_timedlock, o, &wrong)
        CALL(pthread_mutex_timedlock, o, &past)
        CALL(pthread_mutex_unlock, o)
        CALL(pthread_mutex_unlock, o)
        CALL(pthread_mutex_destroy, o)
    }
    for (int type = -1; type < 6; type++) {
        begin("a C mutex", sizeof(mtx_t));
        CALL(mtx_init, o, type)
        CALL(mtx_lock, o)
        CALL(mtx_unlock, o)
    }
}

static void locks(void)
{
    begin("a condition", sizeof(pthread_cond_t));
    CALL(pthread_cond_init, o, 0)
    CALL(pthread_cond_destroy, o)
    begin("a C condition", sizeof(cnd_t));
    CALL(cnd_init, o)
    begin("attributes", sizeof(pthread_condattr_t));
    CALL(pthread_condattr_init, o)
    CALL(pthread_condattr_setclock, o, 2)
    CALL(pthread_condattr_setclock, o, CLOCK_MONOTONIC)
    keep();
    begin("a condition with a clock", sizeof(pthread_cond_t));
    CALL(pthread_cond_init, o, s)
    begin("a spinning lock", sizeof(pthread_spinlock_t));
    CALL(pthread_spin_init, o, 0)
    CALL(pthread_spin_lock, o)
    CALL(pthread_spin_trylock, o)
    CALL(pthread_spin_unlock, o)
    CALL(pthread_spin_trylock, o)
    begin("attributes", sizeof(pthread_rwlockattr_t));
    CALL(pthread_rwlockattr_init, o)
    keep();
    begin("a lock for readers", sizeof(pthread_rwlock_t));
    CALL(pthread_rwlock_init, o, s)
    CALL(pthread_rwlock_init, o, 0)
    for (int round = 0; round < 2; round++) {
        CALL(pthread_rwlock_rdlock, o)
        CALL(pthread_rwlock_tryrdlock, o)
        CALL(pthread_rwlock_trywrlock, o)
        CALL(pthread_rwlock_unlock, o)
        CALL(pthread_rwlock_unlock, o)
        CALL(pthread_rwlock_wrlock, o)
        CALL(pthread_rwlock_wrlock, o)
        CALL(pthread_rwlock_rdlock, o)
        CALL(pthread_rwlock_tryrdlock, o)
        CALL(pthread_rwlock_unlock, o)
        CALL(pthread_rwlock_trywrlock, o)
        CALL(pthread_rwlock_unlock, o)
    }
    for (int shared = 0; shared < 2; shared++) {
        begin("a semaphore", sizeof(sem_t));
        CALL(sem_init, o, shared, 1)
        CALL(sem_post, o)
        CALL(sem_wait, o)
        CALL(sem_trywait, o)
        CALL(sem_trywait, o)
        CALL(sem_init, o, shared, 2147483647u)
        CALL(sem_post, o)
        CALL(sem_init, o, shared, 2147483648u)
        CALL(sem_destroy, o)
    }
}

static void attributes(void)
{
    int result;
    begin("attributes of a thread", sizeof(pthread_attr_t));
    CALL(pthread_attr_init, o)
    CALL(pthread_attr_setdetachstate, o, 99)
    CALL(pthread_attr_setdetachstate, o, -1)
    CALL(pthread_attr_setdetachstate, o, PTHREAD_CREATE_DETACHED)
    CALL(pthread_attr_getdetachstate, o, &result)
    CALL(pthread_attr_setscope, o, PTHREAD_SCOPE_SYSTEM)
    CALL(pthread_attr_setscope, o, PTHREAD_SCOPE_PROCESS)
    CALL(pthread_attr_setscope, o, 7)
    CALL(pthread_attr_setstacksize, o, 100)
    CALL(pthread_attr_setstacksize, o, 1 << 20)
    CALL(pthread_attr_setguardsize, o, 100)
    CALL(pthread_attr_setinheritsched, o, 7)
    CALL(pthread_attr_setinheritsched, o, PTHREAD_EXPLICIT_SCHED)
    CALL(pthread_attr_setschedpolicy, o, SCHED_RR)
    CALL(pthread_attr_setschedpolicy, o, 77)
    CALL(pthread_setcancelstate, 99, &result)
    CALL(pthread_setcanceltype, -1, &result)
    begin("an old state", sizeof(int));
    CALL(pthread_setcancelstate, PTHREAD_CANCEL_DISABLE, o)
    CALL(pthread_setcancelstate, PTHREAD_CANCEL_ENABLE, o)
    CALL(pthread_setcanceltype, PTHREAD_CANCEL_ASYNCHRONOUS, o)
    CALL(pthread_setcanceltype, PTHREAD_CANCEL_DEFERRED, o)
    begin("attributes of a thread", sizeof(pthread_attr_t));
    CALL(pthread_attr_init, o)
    CALL(pthread_attr_setdetachstate, o, PTHREAD_CREATE_JOINABLE)
    CALL(pthread_attr_destroy, o)
}

static void signals(void)
{
    begin("a set of signals", sizeof(sigset_t));
    CALL(sigemptyset, o)
    CALL(sigisemptyset, o)
    for (int signal = -1; signal < 67; signal += 3)
        CALL(sigaddset, o, signal)
    for (int signal = -1; signal < 67; signal++)
        CALL(sigismember, o, signal)
    CALL(sigfillset, o)
    CALL(sigisemptyset, o)
    for (int signal = -1; signal < 67; signal += 2)
        CALL(sigdelset, o, signal)
}

static void environments(void)
{
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
    for (int i = 0; i < 4; i++) {
        begin("an environment", sizeof(fenv_t));
        fesetround(modes[i]);
        feclearexcept(FE_ALL_EXCEPT);
        CALL(fegetenv, o)
        fesetround(FE_DOWNWARD);
        CALL(fesetenv, o)
        compare_results("fegetround", fegetround(), modes[i], 0, 0);
    }
    CALL(feholdexcept, o)
    CALL(feupdateenv, FE_DFL_ENV)
    CALL(feenableexcept, 0)
}

static void dates(void)
{
    static const struct tm odd[] = {
        { .tm_year = 70, .tm_mday = 2 },
        { .tm_year = 100, .tm_mon = 13, .tm_mday = -400, .tm_hour = 99, .tm_min = -99, .tm_sec = 1000 },
        { .tm_year = 120, .tm_mon = -25, .tm_mday = 31 },
        { .tm_year = 99, .tm_mon = 1, .tm_mday = 29, .tm_isdst = 1 },
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        /* The standard members; other bytes are unspecified. */
        begin("a date", offsetof(struct tm, tm_isdst) + sizeof(int));
        memcpy(theirs, &odd[i], object_size);
        memcpy(ours[0], &odd[i], object_size);
        memcpy(ours[1], &odd[i], object_size);
        CALL(timegm, o)
    }
}

static void texts(void)
{
    static const wchar_t *const words[] = { L"", L"a", L"abc", L"abd", L"\x7fffffff" };
    for (int i = 0; i < 5; i++) {
        const wchar_t *word = words[i];
        for (int j = 0; j < 5; j++) {
            const wchar_t *other = words[j];
            begin("wide characters", 128);
            INTO(wcscpy, o, word)
            INTO(wcscat, o, other)
            INTO(wcsncat, o, word, 2)
            INTO(wcsncpy, o, other, 5)
            INTO(wmemset, o, L'x', 2)
            CALL(wcslen, word)
            CALL(wcsnlen, word, 1)
            CALL(wcscmp, word, other)
            CALL(wcsncmp, word, other, 2)
            CALL(wmemcmp, word, other, 1)
            CALL(wcschr, word, L'b')
            CALL(wcsrchr, word, 0)
            CALL(wcsstr, word, other)
        }
        begin("characters", 32);
        CALL(strxfrm, o, "abcd", i)
        INTO(swab, "abcd", o, i)
    }
}

int main(void)
{
    __regatta_process = getpid();
    mutexes();
    locks();
    attributes();
    signals();
    environments();
    dates();
    texts();
    return failures != 0;
}

/* Locks of a program with one thread. */
#include "observe.h"
#include <pthread.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t checked, recursive;
    OBSERVE((unsigned)pthread_mutex_lock(&plain));
    OBSERVE((unsigned)pthread_mutex_trylock(&plain));
    OBSERVE((unsigned)pthread_mutex_unlock(&plain));
    OBSERVE((unsigned)pthread_mutex_trylock(&plain));
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    OBSERVE((unsigned)pthread_mutex_unlock(&checked));
    OBSERVE((unsigned)pthread_mutex_lock(&checked));
    OBSERVE((unsigned)pthread_mutex_lock(&checked));
    OBSERVE((unsigned)pthread_mutex_trylock(&checked));
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    OBSERVE((unsigned)pthread_mutex_lock(&recursive));
    OBSERVE((unsigned)pthread_mutex_trylock(&recursive));
    OBSERVE((unsigned)pthread_mutex_unlock(&recursive));
    OBSERVE((unsigned)pthread_mutex_unlock(&recursive));
    OBSERVE((unsigned)pthread_mutex_unlock(&recursive));
    return 0;
}

/* <signal.h> for signals that the program sends to itself, as Linux and glibc have them: they arrive at once, or when
   they are unblocked. Other signals may arrive at any time once a handler is installed: a proof must show that none is.
   An action's kind is 0 for the default, 1 for ignoring, 2 for a handler. */

static __regatta_signal __regatta_signals[65];

/* A bit for each signal. */

static unsigned long long __regatta_blocked_signals;

static unsigned long long __regatta_pending_signals;

static unsigned long long __regatta_signal_bit(int signal)
{
    return 1ULL << (signal - 1);
}

/* Whether the signal exists, and is not reserved by glibc. */
static _Bool __regatta_is_signal(int signal)
{
    return signal >= 1 && signal <= 64 && signal != 32 && signal != 33;
}

/* Signals that do not end the program by default. A stopped program is assumed to be continued. */
static _Bool __regatta_is_survived(int signal)
{
    return (signal >= 17 && signal <= 23) || signal == 28;
}

/* Sets `si_signo`, `si_errno`, `si_code`, and the sender. The context is not known. */
static void __regatta_call_with_information(__regatta_information_handler_t handler, int signal)
{
    int information[32];
    char context[1024];
    for (int i = 0; i < 32; i++)
        information[i] = 0;
    information[0] = signal;
    information[2] = __regatta_signals[signal].code;
    if (__regatta_signals[signal].code > 0)
        __regatta_unsupported("where a trap comes from");
    information[sizeof(void *) == 8 ? 4 : 3] = getpid();
    information[sizeof(void *) == 8 ? 5 : 4] = (int)getuid();
    handler(signal, information, context);
}

static void __regatta_deliver_signal(int signal)
{
    /* Unknown code that had control may have installed a function of its own. */
    if (__regatta_elsewhere_had_control() && __VERIFIER_nondet_bool()) {
        __VERIFIER_assume(__regatta_unknown_int());
        __regatta_elsewhere_at_end();
        return;
    }
    __regatta_handler_t handler = __regatta_signals[signal].handler;
    unsigned flags = __regatta_signals[signal].flags;
    unsigned long long before = __regatta_blocked_signals;
    if (__regatta_signals[signal].kind == 1)
        return;
    if (__regatta_signals[signal].kind == 0) {
        if (!__regatta_is_survived(signal))
            _exit(128 + signal);
        return;
    }
    if (flags & 0x80000000u) /* SA_RESETHAND */
        __regatta_signals[signal].kind = 0;
    __regatta_blocked_signals |= __regatta_signals[signal].mask;
    if (!(flags & 0x40000000u)) /* SA_NODEFER */
        __regatta_blocked_signals |= __regatta_signal_bit(signal);
    if (flags & 4u) /* SA_SIGINFO */
        __regatta_call_with_information((__regatta_information_handler_t)handler, signal);
    else
        handler(signal);
    __regatta_blocked_signals = before;
}

static void __regatta_deliver_signals(void)
{
    for (;;) {
        unsigned long long ready = __regatta_pending_signals & ~__regatta_blocked_signals;
        if (ready == 0)
            break;
        if ((ready & (ready - 1)) != 0)
            __regatta_unsupported("two signals that arrive at the same time");
        __regatta_pending_signals &= ~ready;
        __regatta_deliver_signal(__builtin_ctzll(ready) + 1);
    }
}

/* The program sends itself the signal. An ignored signal does not stay pending. */
static int __regatta_send_signal(int signal, int code)
{
    if (signal == 0)
        return 0;
    if (!__regatta_is_signal(signal))
        return 22; /* EINVAL */
    if (signal == 9) /* SIGKILL */
        _exit(137);
    if (signal >= 32 && (__regatta_blocked_signals & __regatta_signal_bit(signal)) != 0)
        __regatta_unsupported("a real-time signal that waits");
    if ((__regatta_pending_signals & __regatta_signal_bit(signal)) == 0)
        __regatta_signals[signal].code = code;
    if (signal != 19) /* SIGSTOP */
        __regatta_pending_signals |= __regatta_signal_bit(signal);
    __regatta_deliver_signals();
    return 0;
}

/* The program's `abort`: the signal arrives even if it is blocked. */
void __regatta_abort_signal(void)
{
    __regatta_blocked_signals &= ~__regatta_signal_bit(6);
    __regatta_signals[6].code = -6; /* SI_TKILL */
    __regatta_deliver_signal(6);
}

/* A trapping instruction is executed again when the handler returns. */
void __regatta_trap_signal(void)
{
    __regatta_signals[4].code = 2; /* ILL_ILLOPN */
    while (__regatta_signals[4].kind == 2 && (__regatta_blocked_signals & __regatta_signal_bit(4)) == 0)
        __regatta_deliver_signal(4);
}

static __regatta_handler_t __regatta_previous_handler(int signal)
{
    if (__regatta_signals[signal].kind == 2)
        return __regatta_signals[signal].handler;
    return __regatta_signals[signal].kind == 1 ? (__regatta_handler_t)1 : (__regatta_handler_t)0;
}

void __regatta_install_handler(int signal, __regatta_handler_t handler, unsigned flags, unsigned long long mask)
{
    __regatta_assumed_surroundings("no signal is blocked or ignored when the program starts");
    __regatta_signals[signal].flags = sizeof(long) == 8 ? flags | 0x04000000u : flags; /* SA_RESTORER */
    __regatta_signals[signal].mask = mask & ~(1ULL << 8 | 1ULL << 18);
    if (handler == (__regatta_handler_t)0 || handler == (__regatta_handler_t)1) {
        __regatta_signals[signal].kind = handler == (__regatta_handler_t)1;
        if (__regatta_signals[signal].kind == 1 || signal == 17 || signal == 18 || signal == 23 || signal == 28)
            __regatta_pending_signals &= ~__regatta_signal_bit(signal);
    } else {
        if (__VERIFIER_nondet_bool())
            __regatta_unsupported("a signal that arrives at any time");
        __regatta_signals[signal].kind = 2;
        __regatta_signals[signal].handler = handler;
    }
}

static __regatta_handler_t __regatta_handle(int signal, __regatta_handler_t handler, unsigned flags,
                                            unsigned long long mask)
{
    if (handler == (__regatta_handler_t)-1 || !__regatta_is_signal(signal) || signal == 9 || signal == 19) {
        *__errno_location() = 22; /* EINVAL */
        return (__regatta_handler_t)-1;
    }
    __regatta_handler_t previous = __regatta_previous_handler(signal);
    __regatta_install_handler(signal, handler, flags, mask);
    return previous;
}

/* As in BSD: the handler stays installed, and system calls are restarted. */
__regatta_handler_t signal(int signal, __regatta_handler_t handler)
{
    return __regatta_handle(signal, handler, 0x10000000u, __regatta_is_signal(signal) ? __regatta_signal_bit(signal) : 0);
}

__regatta_handler_t bsd_signal(int signal, __regatta_handler_t handler)
{
    return __regatta_handle(signal, handler, 0x10000000u, __regatta_is_signal(signal) ? __regatta_signal_bit(signal) : 0);
}

__regatta_handler_t ssignal(int signal, __regatta_handler_t handler)
{
    return __regatta_handle(signal, handler, 0x10000000u, __regatta_is_signal(signal) ? __regatta_signal_bit(signal) : 0);
}

/* As in System V: the handler is called once, and nothing is blocked meanwhile. */
__regatta_handler_t sysv_signal(int signal, __regatta_handler_t handler)
{
    return __regatta_handle(signal, handler, 0xe0000000u, 0);
}

__regatta_handler_t __sysv_signal(int signal, __regatta_handler_t handler)
{
    return __regatta_handle(signal, handler, 0xe0000000u, 0);
}

/* A set of signals has 128 bytes, of which the first 64 bits are used. */
static unsigned long long __regatta_signal_set(const void *set)
{
    const unsigned long *words = set;
    if (sizeof(long) == 8)
        return words[0];
    return words[0] | (unsigned long long)words[1] << 16 << 16;
}

static void __regatta_store_signal_set(void *set, unsigned long long signals)
{
    unsigned long *words = set;
    words[0] = (unsigned long)signals;
    if (sizeof(long) == 4)
        words[1] = (unsigned long)(signals >> 32);
}

int sigaction(int signal, const void *action, void *previous)
{
    const __regatta_sigaction *new = action;
    __regatta_sigaction *old = previous;
    if (!__regatta_is_signal(signal) || (action != 0 && (signal == 9 || signal == 19)))
        return __regatta_invalid();
    __regatta_handler_t handler = 0;
    unsigned flags = 0;
    unsigned long long mask = 0;
    if (action != 0) {
        handler = new->handler;
        flags = (unsigned)new->flags;
        mask = __regatta_signal_set(new->mask);
    }
    if (previous != 0) {
        old->handler = __regatta_previous_handler(signal);
        old->flags = (int)__regatta_signals[signal].flags;
        __regatta_store_signal_set(old->mask, __regatta_signals[signal].mask);
        if (__regatta_signals[signal].flags == 0)
            old->restorer = 0;
    }
    if (action != 0)
        __regatta_install_handler(signal, handler, flags, mask);
    return 0;
}

/* Returns an error number. SIGKILL, SIGSTOP and the signals reserved by glibc are never blocked. */
int pthread_sigmask(int how, const void *set, void *previous)
{
    unsigned long long old = __regatta_blocked_signals;
    unsigned long long given = 0;
    __regatta_assumed_surroundings("no signal is blocked or ignored when the program starts");
    if (set != 0) {
        given = __regatta_signal_set(set) & ~(1ULL << 8 | 1ULL << 18 | 3ULL << 31);
        if (how == 0)
            __regatta_blocked_signals |= given;
        else if (how == 1)
            __regatta_blocked_signals &= ~given;
        else if (how == 2)
            __regatta_blocked_signals = given;
        else
            return 22; /* EINVAL */
    }
    if (previous != 0)
        __regatta_store_signal_set(previous, old);
    __regatta_deliver_signals();
    return 0;
}

int sigprocmask(int how, const void *set, void *previous)
{
    int error = pthread_sigmask(how, set, previous);
    if (error == 0)
        return 0;
    *__errno_location() = error;
    return -1;
}

int sigpending(void *set)
{
    __regatta_store_signal_set(set, __regatta_pending_signals & __regatta_blocked_signals);
    return 0;
}

static int __regatta_hold_signal(int signal, _Bool hold)
{
    if (!__regatta_is_signal(signal))
        return __regatta_invalid();
    if (!hold)
        __regatta_blocked_signals &= ~__regatta_signal_bit(signal);
    else if (signal != 9 && signal != 19)
        __regatta_blocked_signals |= __regatta_signal_bit(signal);
    __regatta_deliver_signals();
    return 0;
}

int sighold(int signal)
{
    return __regatta_hold_signal(signal, 1);
}

int sigrelse(int signal)
{
    return __regatta_hold_signal(signal, 0);
}

int sigignore(int signal)
{
    return __regatta_handle(signal, (__regatta_handler_t)1, 0, 0) == (__regatta_handler_t)-1 ? -1 : 0;
}

/* 2 is SIG_HOLD. */
__regatta_handler_t sigset(int signal, __regatta_handler_t handler)
{
    if (handler == (__regatta_handler_t)-1 || !__regatta_is_signal(signal)) {
        *__errno_location() = 22; /* EINVAL */
        return (__regatta_handler_t)-1;
    }
    _Bool held = (__regatta_blocked_signals & __regatta_signal_bit(signal)) != 0;
    __regatta_handler_t previous = __regatta_previous_handler(signal);
    if (handler != (__regatta_handler_t)2) {
        previous = __regatta_handle(signal, handler, 0, 0);
        if (previous == (__regatta_handler_t)-1)
            return previous;
    }
    __regatta_hold_signal(signal, handler == (__regatta_handler_t)2);
    return held ? (__regatta_handler_t)2 : previous;
}

int raise(int signal)
{
    if (signal == 32 || signal == 33)
        __regatta_unsupported("a signal that glibc keeps for itself");
    int error = __regatta_send_signal(signal, -6); /* SI_TKILL */
    if (error == 0)
        return 0;
    *__errno_location() = error;
    return -1;
}

int gsignal(int signal)
{
    return raise(signal);
}

/* A signal to another process, which may end or answer, is not modelled. */
int kill(int process, int signal)
{
    if (signal < 0 || signal > 64)
        return __regatta_invalid();
    if (process != 0 && process != getpid()) {
        if (signal != 0)
            __regatta_unsupported("kill");
        return __regatta_done_or_failed();
    }
    if (signal == 32 || signal == 33)
        __regatta_unsupported("a signal that glibc keeps for itself");
    return __regatta_send_signal(signal, 0); /* SI_USER */
}

/* Returns an error number. */
int pthread_kill(unsigned long thread, int signal)
{
    if (thread != pthread_self())
        __regatta_unsupported("a signal for another thread");
    return __regatta_send_signal(signal, -6); /* SI_TKILL */
}

/* <signal.h>: sets of signals. As in glibc, only the first 64 bits are used and changed; the two signals that it
   reserves are in no set. */

static int __regatta_is_own_signal(int signal)
{
    return signal == 32 || signal == 33;
}

int sigemptyset(void *set)
{
    unsigned *words = set;
    if (set == 0)
        return __regatta_invalid();
    words[0] = 0;
    words[1] = 0;
    return 0;
}

int sigfillset(void *set)
{
    unsigned *words = set;
    if (set == 0)
        return __regatta_invalid();
    words[0] = 0x7fffffffu;
    words[1] = 0xfffffffeu;
    return 0;
}

int sigaddset(void *set, int signal)
{
    unsigned *words = set;
    if (set == 0 || signal < 1 || signal > 64 || __regatta_is_own_signal(signal))
        return __regatta_invalid();
    words[signal > 32] |= 1u << (signal - 1 & 31);
    return 0;
}

int sigdelset(void *set, int signal)
{
    unsigned *words = set;
    if (set == 0 || signal < 1 || signal > 64 || __regatta_is_own_signal(signal))
        return __regatta_invalid();
    words[signal > 32] &= ~(1u << (signal - 1 & 31));
    return 0;
}

int sigismember(const void *set, int signal)
{
    const unsigned *words = set;
    if (set == 0 || signal < 1 || signal > 64)
        return __regatta_invalid();
    return words[signal > 32] >> (signal - 1 & 31) & 1;
}

int sigisemptyset(const void *set)
{
    const unsigned *words = set;
    if (set == 0)
        return __regatta_invalid();
    return words[0] == 0 && words[1] == 0;
}

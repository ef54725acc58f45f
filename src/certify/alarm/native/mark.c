/* Reports how the run has ended by direct system calls, since the program may define `write` or `_exit` itself. */
#if defined __x86_64__
static long system_call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}
#define WRITE 1
#define EXIT_GROUP 231
#elif defined __i386__
static long system_call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("pushl %%ebx; movl %2, %%ebx; int $0x80; popl %%ebx"
                     : "=a"(result)
                     : "a"(number), "r"(first), "c"(second), "d"(third)
                     : "memory");
    return result;
}
#define WRITE 4
#define EXIT_GROUP 252
#elif defined __aarch64__
static long system_call(long number, long first, long second, long third)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#define WRITE 64
#define EXIT_GROUP 94
#endif

_Noreturn void regatta_mark(const char *text);
_Noreturn void regatta_mark(const char *text)
{
    long size = 0;
    while (text[size])
        size++;
    system_call(WRITE, MARK_DESCRIPTOR, (long)text, size);
    for (;;)
        system_call(EXIT_GROUP, 0, 0, 0);
}

/* The target of the jump at the begin of the program's own error function. */
_Noreturn void regatta_error(void);
_Noreturn void regatta_error(void)
{
    regatta_mark(MARK_REACHED);
}

/* What the program calls where it misuses memory, if it watches its memory. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    regatta_error();
}

#ifdef LOOK_FOR_LEAKS
int __lsan_do_recoverable_leak_check(void);

/* Looks for lost memory at the end. */
__attribute__((destructor)) static void look_for_leaks(void)
{
    if (__lsan_do_recoverable_leak_check())
        regatta_error();
}
#endif

/* What a compiler calls where signed arithmetic overflows, if it is told to end the program there. */
#define OVERFLOW(name)                                                                                                 \
    _Noreturn void __ubsan_handle_##name##_abort(void);                                                                \
    _Noreturn void __ubsan_handle_##name##_abort(void)                                                                 \
    {                                                                                                                  \
        regatta_error();                                                                                               \
    }
OVERFLOW(add_overflow)
OVERFLOW(sub_overflow)
OVERFLOW(mul_overflow)
OVERFLOW(negate_overflow)
OVERFLOW(divrem_overflow)
OVERFLOW(shift_out_of_bounds)

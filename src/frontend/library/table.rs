//! The table of the modelled functions: their prototypes, by kind of model.

use crate::ir::MathFunction;
use regatta_term::RoundingMode;

use super::{Builtin, Model};

/// Functions that the type checker models. The prelude's functions are not listed: their definitions are their entries.
pub(super) const BUILTINS: &[(Builtin, &[&str])] = &[
    (Builtin::Malloc, &["void *malloc(__regatta_size_t)"]),
    (
        Builtin::Calloc,
        &["void *calloc(__regatta_size_t, __regatta_size_t)"],
    ),
    (
        Builtin::Resized,
        &["void *__regatta_resized(void *, __regatta_size_t)"],
    ),
    (
        Builtin::Pages,
        &["void *__regatta_zeroed_pages(__regatta_size_t)"],
    ),
    (Builtin::Free, &["void free(void *)", "void cfree(void *)"]),
    (
        Builtin::Alloca,
        &[
            "void *alloca(__regatta_size_t)",
            "void *__builtin_alloca_with_align(__regatta_size_t, __regatta_size_t)",
        ],
    ),
    (
        Builtin::AlignedAlloc,
        &[
            "void *aligned_alloc(__regatta_size_t, __regatta_size_t)",
            "void *memalign(__regatta_size_t, __regatta_size_t)",
        ],
    ),
    (
        Builtin::AllocatedSize,
        &["__regatta_size_t __regatta_allocated_size(void *)"],
    ),
    (
        Builtin::Memcpy,
        &["void *memcpy(void *, const void *, __regatta_size_t)"],
    ),
    (
        Builtin::Memmove,
        &["void *memmove(void *, const void *, __regatta_size_t)"],
    ),
    (
        Builtin::Memset,
        &["void *memset(void *, int, __regatta_size_t)"],
    ),
    (
        Builtin::Exit,
        &[
            "void exit(int)",
            "void pthread_exit(void *)",
            "void err(int, const char *, ...)",
            "void errx(int, const char *, ...)",
            "void verr(int, const char *, __builtin_va_list)",
            "void verrx(int, const char *, __builtin_va_list)",
        ],
    ),
    (
        Builtin::Abort,
        &["void abort(void)", "void __builtin_trap(void)"],
    ),
    (Builtin::End, &["void _exit(int)", "void _Exit(int)"]),
    (
        Builtin::ElsewhereAtEnd,
        &["void __regatta_elsewhere_at_end(void)"],
    ),
    (
        Builtin::StreamsElsewhere,
        &["int __regatta_streams_elsewhere(void)"],
    ),
    (
        Builtin::ElsewhereHadControl,
        &["int __regatta_elsewhere_had_control(void)"],
    ),
    (
        Builtin::Elsewhere,
        &["int __regatta_elsewhere(void *, ...)"],
    ),
    (
        Builtin::AssertFail,
        &[
            "void __assert_fail(const char *, const char *, unsigned, const char *)",
            "void __assert_perror_fail(int, const char *, unsigned, const char *)",
            "void __assert(const char *, const char *, int)",
            "void __assert_rtn(const char *, const char *, int, const char *)",
            "void _assert(const char *, const char *, int)",
        ],
    ),
    (Builtin::VerifierAssert, &["void __VERIFIER_assert(int)"]),
    (
        Builtin::VerifierError,
        &["void __VERIFIER_error(void)", "void reach_error(void)"],
    ),
    (
        Builtin::Assume,
        &[
            "void __VERIFIER_assume(int)",
            "void __CPROVER_assume(_Bool)",
            "void __builtin_assume(_Bool)",
        ],
    ),
    (
        Builtin::Nondet,
        &[
            "_Bool __VERIFIER_nondet_bool(void)",
            "_Bool __VERIFIER_nondet__Bool(void)",
            "char __VERIFIER_nondet_char(void)",
            "signed char __VERIFIER_nondet_schar(void)",
            "unsigned char __VERIFIER_nondet_uchar(void)",
            "unsigned char __VERIFIER_nondet_unsigned_char(void)",
            "short __VERIFIER_nondet_short(void)",
            "unsigned short __VERIFIER_nondet_ushort(void)",
            "int __VERIFIER_nondet_int(void)",
            "unsigned __VERIFIER_nondet_uint(void)",
            "unsigned __VERIFIER_nondet_unsigned(void)",
            "unsigned __VERIFIER_nondet_unsigned_int(void)",
            "long __VERIFIER_nondet_long(void)",
            "unsigned long __VERIFIER_nondet_ulong(void)",
            "long long __VERIFIER_nondet_longlong(void)",
            "unsigned long long __VERIFIER_nondet_ulonglong(void)",
            "_Decimal128x __VERIFIER_nondet_int128(void)",
            "unsigned _Decimal128x __VERIFIER_nondet_uint128(void)",
            "float __VERIFIER_nondet_float(void)",
            "double __VERIFIER_nondet_double(void)",
            "void *__VERIFIER_nondet_pointer(void)",
            "char *__VERIFIER_nondet_pchar(void)",
            "char *__VERIFIER_nondet_charp(void)",
            "const char *__VERIFIER_nondet_const_char_pointer(void)",
            "__regatta_size_t __VERIFIER_nondet_size_t(void)",
            "long long __VERIFIER_nondet_loff_t(void)",
            "unsigned long __VERIFIER_nondet_pthread_t(void)",
            "unsigned long __VERIFIER_nondet_sector_t(void)",
            "signed char __VERIFIER_nondet_s8(void)",
            "short __VERIFIER_nondet_s16(void)",
            "int __VERIFIER_nondet_s32(void)",
            "long long __VERIFIER_nondet_s64(void)",
            "signed char __VERIFIER_nondet_S8(void)",
            "unsigned char __VERIFIER_nondet_u8(void)",
            "unsigned short __VERIFIER_nondet_u16(void)",
            "unsigned __VERIFIER_nondet_u32(void)",
            "unsigned long long __VERIFIER_nondet_u64(void)",
        ],
    ),
    (
        Builtin::NondetMemory,
        &["void __VERIFIER_nondet_memory(void *, __regatta_size_t)"],
    ),
    (
        Builtin::SetJump,
        &[
            "int setjmp(void *)",
            "int _setjmp(void *)",
            "int sigsetjmp(void *, int)",
            "int __sigsetjmp(void *, int)",
            "int __builtin_setjmp(void *)",
        ],
    ),
    (
        Builtin::LongJump,
        &[
            "void longjmp(void *, int)",
            "void _longjmp(void *, int)",
            "void siglongjmp(void *, int)",
            "void __longjmp_chk(void *, int)",
            "void __builtin_longjmp(void *, int)",
        ],
    ),
    (
        Builtin::Nothing,
        &[
            "void __VERIFIER_atomic_begin(void)",
            "void __VERIFIER_atomic_end(void)",
            "void __builtin_prefetch(const void *, ...)",
            "void __sync_synchronize(void)",
            "void __atomic_thread_fence(int)",
            "void __atomic_signal_fence(int)",
            "void flockfile(void *)",
            "void funlockfile(void *)",
            "void closelog(void)",
            "void openlog(const char *, int, int)",
            "void syslog(int, const char *, ...)",
            "void pthread_testcancel(void)",
            "void tzset(void)",
            "void sync(void)",
            "void __builtin___clear_cache(void *, void *)",
        ],
    ),
    (
        Builtin::Zero,
        &[
            "int feclearexcept(int)",
            "int feraiseexcept(int)",
            "int fedisableexcept(int)",
            "int fegetexcept(void)",
            "int pthread_cond_signal(void *)",
            "int pthread_cond_broadcast(void *)",
            "int sched_yield(void)",
        ],
    ),
    (
        Builtin::FirstArgument,
        &[
            "long __builtin_expect(long, long)",
            "long __builtin_expect_with_probability(long, long, double)",
            "void *__builtin_assume_aligned(const void *, __regatta_size_t, ...)",
        ],
    ),
    (
        Builtin::Unreachable,
        &["void __builtin_unreachable(void)", "void unreachable(void)"],
    ),
    (Builtin::ConstantP, &["int __builtin_constant_p()"]),
    (Builtin::ChooseExpression, &["int __builtin_choose_expr()"]),
    (
        Builtin::ObjectSize,
        &[
            "__regatta_size_t __builtin_object_size(const void *, int)",
            "__regatta_size_t __builtin_dynamic_object_size(const void *, int)",
        ],
    ),
    (
        Builtin::VaStart,
        &["void __builtin_va_start()", "void __builtin_c23_va_start()"],
    ),
    (Builtin::VaEnd, &["void __builtin_va_end()"]),
    (Builtin::VaCopy, &["void __builtin_va_copy()"]),
    (
        Builtin::AddOverflow,
        &[
            "_Bool __builtin_add_overflow()",
            "_Bool __builtin_sadd_overflow(int, int, int *)",
            "_Bool __builtin_saddl_overflow(long, long, long *)",
            "_Bool __builtin_saddll_overflow(long long, long long, long long *)",
            "_Bool __builtin_uadd_overflow(unsigned, unsigned, unsigned *)",
            "_Bool __builtin_uaddl_overflow(unsigned long, unsigned long, unsigned long *)",
            "_Bool __builtin_uaddll_overflow(unsigned long long, unsigned long long, unsigned long long *)",
        ],
    ),
    (
        Builtin::SubtractOverflow,
        &[
            "_Bool __builtin_sub_overflow()",
            "_Bool __builtin_ssub_overflow(int, int, int *)",
            "_Bool __builtin_ssubl_overflow(long, long, long *)",
            "_Bool __builtin_ssubll_overflow(long long, long long, long long *)",
            "_Bool __builtin_usub_overflow(unsigned, unsigned, unsigned *)",
            "_Bool __builtin_usubl_overflow(unsigned long, unsigned long, unsigned long *)",
            "_Bool __builtin_usubll_overflow(unsigned long long, unsigned long long, unsigned long long *)",
        ],
    ),
    (
        Builtin::MultiplyOverflow,
        &[
            "_Bool __builtin_mul_overflow()",
            "_Bool __builtin_smul_overflow(int, int, int *)",
            "_Bool __builtin_smull_overflow(long, long, long *)",
            "_Bool __builtin_smulll_overflow(long long, long long, long long *)",
            "_Bool __builtin_umul_overflow(unsigned, unsigned, unsigned *)",
            "_Bool __builtin_umull_overflow(unsigned long, unsigned long, unsigned long *)",
            "_Bool __builtin_umulll_overflow(unsigned long long, unsigned long long, unsigned long long *)",
        ],
    ),
    (
        Builtin::Infinity,
        &[
            "float __builtin_inff(void)",
            "double __builtin_inf(void)",
            "long double __builtin_infl(void)",
            "_Float128 __builtin_inff128(void)",
            "float __builtin_huge_valf(void)",
            "double __builtin_huge_val(void)",
            "long double __builtin_huge_vall(void)",
            "_Float128 __builtin_huge_valf128(void)",
        ],
    ),
    (
        Builtin::NotANumber,
        &[
            "float nanf(const char *)",
            "double nan(const char *)",
            "long double nanl(const char *)",
            "_Float128 __builtin_nanf128(const char *)",
            "float __builtin_nansf(const char *)",
            "double __builtin_nans(const char *)",
            "long double __builtin_nansl(const char *)",
        ],
    ),
    (Builtin::IsGreater, &["int __builtin_isgreater()"]),
    (Builtin::IsGreaterEqual, &["int __builtin_isgreaterequal()"]),
    (Builtin::IsLess, &["int __builtin_isless()"]),
    (Builtin::IsLessEqual, &["int __builtin_islessequal()"]),
    (Builtin::IsLessGreater, &["int __builtin_islessgreater()"]),
    (Builtin::IsUnordered, &["int __builtin_isunordered()"]),
    (
        Builtin::IsInfiniteSign,
        &[
            "int __builtin_isinf_sign()",
            "int isinf(double)",
            "int isinff(float)",
            "int isinfl(long double)",
            "int __isinf(double)",
            "int __isinff(float)",
            "int __isinfl(long double)",
        ],
    ),
    (
        Builtin::IsFinite,
        &[
            "int __builtin_isfinite()",
            "int __builtin_finite(double)",
            "int __builtin_finitef(float)",
            "int __builtin_finitel(long double)",
            "int isfinite(double)",
            "int finite(double)",
            "int finitef(float)",
            "int finitel(long double)",
            "int __finite(double)",
            "int __finitef(float)",
            "int __finitel(long double)",
        ],
    ),
    (Builtin::FloatClassify, &["int __builtin_fpclassify()"]),
    (Builtin::GetRounding, &["int fegetround(void)"]),
    (Builtin::SetRounding, &["int fesetround(int)"]),
    (
        Builtin::Formatted,
        &[
            "int scanf(const char *, ...)",
            "int fscanf(void *, const char *, ...)",
            "int sscanf(const char *, const char *, ...)",
            "int printf(const char *, ...)",
            "int fprintf(void *, const char *, ...)",
            "int dprintf(int, const char *, ...)",
            "int sprintf(char *, const char *, ...)",
            "int snprintf(char *, __regatta_size_t, const char *, ...)",
            "int asprintf(char **, const char *, ...)",
            "int __printf_chk(int, const char *, ...)",
            "int __fprintf_chk(void *, int, const char *, ...)",
            "int __dprintf_chk(int, int, const char *, ...)",
            "int __sprintf_chk(char *, int, __regatta_size_t, const char *, ...)",
            "int __snprintf_chk(char *, __regatta_size_t, int, __regatta_size_t, const char *, ...)",
            "int __asprintf_chk(char **, int, const char *, ...)",
            "int printk(const char *, ...)",
            "int vprintf(const char *, __builtin_va_list)",
            "int vfprintf(void *, const char *, __builtin_va_list)",
            "int vdprintf(int, const char *, __builtin_va_list)",
        ],
    ),
    (
        Builtin::CallbacksMatter,
        &["int __regatta_callbacks_matter(void)"],
    ),
    (
        Builtin::Assumed,
        &[
            "void __regatta_assumed_library(const char *)",
            "void __regatta_assumed_surroundings(const char *)",
        ],
    ),
    (
        Builtin::EnvironmentIsNamed,
        &["int __regatta_environment_is_named(void)"],
    ),
    (
        Builtin::CountsMatter,
        &["int __regatta_counts_matter(void)"],
    ),
];

/// Functions of one floating-point type, with the suffixes `f` and `l` for the others.
pub(super) const MATH: &[(MathFunction, &[&str])] = &[
    (MathFunction::AbsoluteValue, &["fabs"]),
    (MathFunction::SquareRoot, &["sqrt"]),
    (
        MathFunction::RoundToIntegral(RoundingMode::Downward),
        &["floor"],
    ),
    (
        MathFunction::RoundToIntegral(RoundingMode::Upward),
        &["ceil"],
    ),
    (
        MathFunction::RoundToIntegral(RoundingMode::TowardZero),
        &["trunc"],
    ),
    (
        MathFunction::RoundToIntegral(RoundingMode::NearestEven),
        &["roundeven"],
    ),
    (MathFunction::RoundToIntegralCurrent, &["rint", "nearbyint"]),
    (MathFunction::RoundHalfAway, &["round"]),
];

/// Functions of one floating-point type with two operands.
pub(super) const MATH_OF_TWO: &[(MathFunction, &[&str])] = &[
    (MathFunction::IeeeRemainder, &["remainder", "drem"]),
    (MathFunction::Modulo, &["fmod"]),
    (MathFunction::CopySign, &["copysign"]),
];

/// Transcendental functions of one operand.
pub(super) const APPROXIMATE: &[&str] = &[
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp2",
    "exp10",
    "pow10",
    "expm1",
    "log1p",
    "cbrt",
    "erf",
    "erfc",
    "tgamma",
    "j0",
    "j1",
    "y0",
    "y1",
    "significand",
];

/// Transcendental functions of two operands.
pub(super) const APPROXIMATE_OF_TWO: &[&str] = &["atan2"];

/// Functions of a complex number.
pub(super) const APPROXIMATE_COMPLEX: &[&str] = &[
    "cacos", "casin", "catan", "ccos", "csin", "ctan", "cacosh", "casinh", "catanh", "ccosh",
    "csinh", "ctanh", "cexp", "clog", "clog10", "csqrt",
];

/// All other functions that are not defined in the prelude.
pub(super) const OTHERS: &[(Model, &[&str])] = &[
    (
        Model::Math(MathFunction::IsNan),
        &[
            "int __builtin_isnan()",
            "int isnan(double)",
            "int isnanf(float)",
            "int isnanl(long double)",
            "int __isnan(double)",
            "int __isnanf(float)",
            "int __isnanl(long double)",
        ],
    ),
    (
        Model::Math(MathFunction::IsInfinite),
        &["int __builtin_isinf()"],
    ),
    (
        Model::Math(MathFunction::IsNormal),
        &["int __builtin_isnormal()", "int isnormal(double)"],
    ),
    (
        Model::Math(MathFunction::SignBit),
        &[
            "int __builtin_signbit()",
            "int __builtin_signbitf(float)",
            "int __builtin_signbitl(long double)",
            "int signbit(double)",
            "int __signbit(double)",
            "int __signbitf(float)",
            "int __signbitl(long double)",
        ],
    ),
    (
        Model::Math(MathFunction::PopulationCount),
        &[
            "int __builtin_popcount(unsigned)",
            "int __builtin_popcountl(unsigned long)",
            "int __builtin_popcountll(unsigned long long)",
        ],
    ),
    (
        Model::Math(MathFunction::CountLeadingZeros),
        &[
            "int __builtin_clz(unsigned)",
            "int __builtin_clzl(unsigned long)",
            "int __builtin_clzll(unsigned long long)",
        ],
    ),
    (
        Model::Math(MathFunction::CountTrailingZeros),
        &[
            "int __builtin_ctz(unsigned)",
            "int __builtin_ctzl(unsigned long)",
            "int __builtin_ctzll(unsigned long long)",
        ],
    ),
    (
        Model::Math(MathFunction::ByteSwap),
        &[
            "unsigned short __builtin_bswap16(unsigned short)",
            "unsigned __builtin_bswap32(unsigned)",
            "unsigned long long __builtin_bswap64(unsigned long long)",
            "unsigned _Decimal128x __builtin_bswap128(unsigned _Decimal128x)",
        ],
    ),
    (
        Model::Math(MathFunction::FusedMultiplyAdd),
        &[
            "float fmaf(float, float, float)",
            "double fma(double, double, double)",
            "long double fmal(long double, long double, long double)",
        ],
    ),
    (
        Model::Approximate,
        &[
            "char __regatta_unknown_char(void)",
            "int __regatta_unknown_int(void)",
            "__regatta_size_t __regatta_unknown_size(void)",
            "long long __regatta_unknown_longlong(void)",
            "float __regatta_unknown_float(void)",
            "double __regatta_unknown_double(void)",
            "long double __regatta_unknown_long_double(void)",
            "int fetestexcept(int)",
            "long sysconf(int)",
            "void *__builtin_return_address(unsigned)",
            "void *__builtin_frame_address(unsigned)",
        ],
    ),
    (
        Model::Unsupported,
        &[
            "void __regatta_unsupported(const char *)",
            "const unsigned short **__ctype_b_loc(void)",
            "const int **__ctype_tolower_loc(void)",
            "const int **__ctype_toupper_loc(void)",
            "int getcontext(void *)",
            "int setcontext(const void *)",
            "int swapcontext(void *, const void *)",
            "void makecontext(void *, void (*)(void), int, ...)",
            "unsigned alarm(unsigned)",
            "int pause(void)",
            "unsigned ualarm(unsigned, unsigned)",
            "int setitimer(int, const void *, void *)",
            "int timer_create(int, void *, void *)",
            "int timer_settime(void *, int, const void *, void *)",
            "int sigsuspend(const void *)",
            "int sigpause(int)",
            "int __xpg_sigpause(int)",
            "int sigwait(const void *, int *)",
            "int sigwaitinfo(const void *, void *)",
            "int sigtimedwait(const void *, void *, const void *)",
            "int sigblock(int)",
            "int sigsetmask(int)",
            "int siggetmask(void)",
            "int sigqueue(int, int, __regatta_div_t)",
            "int killpg(int, int)",
            "int tgkill(int, int, int)",
            "int mq_notify(int, const void *)",
            "int lio_listio(int, void *const *, int, void *)",
            "int aio_read(void *)",
            "int aio_write(void *)",
            "int aio_fsync(int, void *)",
            "int getaddrinfo_a(int, void **, int, void *)",
            "void _pthread_cleanup_push(void *, void (*)(void *), void *)",
            "void _pthread_cleanup_push_defer(void *, void (*)(void *), void *)",
            "void __pthread_register_cancel(void *)",
            "int tss_create(unsigned *, void (*)(void *))",
            "int __cxa_thread_atexit_impl(void (*)(void *), void *, void *)",
            "int __cxa_thread_atexit(void (*)(void *), void *, void *)",
            "int __cxa_at_quick_exit(void (*)(void *), void *)",
            "void __cxa_finalize(void *)",
            "int register_printf_specifier(int, int (*)(void *, const void *, const void *const *), \
             int (*)(const void *, __regatta_size_t, int *, int *))",
            "int register_printf_function(int, int (*)(void *, const void *, const void *const *), \
             int (*)(const void *, __regatta_size_t, int *))",
            "int register_printf_modifier(const __regatta_wchar_t *)",
            "int register_printf_type(void (*)(void *, void *))",
            "int pthread_create(void *, const void *, void *(*)(void *), void *)",
            "int pthread_join(unsigned long, void **)",
            "int pthread_detach(unsigned long)",
            "int pthread_cancel(unsigned long)",
            "int pthread_cond_wait(void *, void *)",
            "int pthread_cond_timedwait(void *, void *, const void *)",
            "int __pthread_cond_timedwait64(void *, void *, const void *)",
            "int pthread_key_create(void *, void (*)(void *))",
            "void *pthread_getspecific(unsigned)",
            "int pthread_setspecific(unsigned, const void *)",
            "int pthread_barrier_wait(void *)",
            "int thrd_create(void *, int (*)(void *), void *)",
            "int thrd_join(unsigned long, int *)",
            "int fesetmode(const void *)",
            "void *uselocale(void *)",
            "int fork(void)",
            "int vfork(void)",
            "int clone(int (*)(void *), void *, int, void *, ...)",
            "int execl(const char *, const char *, ...)",
            "int execlp(const char *, const char *, ...)",
            "int execle(const char *, const char *, ...)",
            "int execv(const char *, char *const *)",
            "int execvp(const char *, char *const *)",
            "int execve(const char *, char *const *, char *const *)",
            "int wait(int *)",
            "int waitpid(int, int *, int)",
            "void *dlopen(const char *, int)",
            "void *dlsym(void *, const char *)",
            "int wctomb(char *, __regatta_wchar_t)",
            "int wprintf(const __regatta_wchar_t *, ...)",
            "int getw(void *)",
            "int putenv(char *)",
            "int clearenv(void)",
            "int vscanf(const char *, __builtin_va_list)",
            "int vfscanf(void *, const char *, __builtin_va_list)",
            "int vsscanf(const char *, const char *, __builtin_va_list)",
            "int vasprintf(char **, const char *, __builtin_va_list)",
            "long syscall(long, ...)",
            "int mprotect(void *, __regatta_size_t, int)",
            "void *mremap(void *, __regatta_size_t, __regatta_size_t, int, ...)",
            "int madvise(void *, __regatta_size_t, int)",
            "void *sbrk(long)",
            "int brk(void *)",
        ],
    ),
];

/// Symbols that glibc's headers substitute for functions, with the functions: their types are the same in either data
/// model. Symbols of functions with other types (`lseek64`) have models of their own.
pub(super) const REDIRECTED: &[(&str, &str)] = &[
    ("fopen64", "fopen"),
    ("freopen64", "freopen"),
    ("tmpfile64", "tmpfile"),
    ("open64", "open"),
    ("creat64", "creat"),
];

/// Functions of the prelude without effects that a program can observe, except for their result and `errno`: a failure
/// is recorded in the stream, and `ferror` allows for one that is not.
pub(super) const OUTPUT: &[&str] = &[
    "puts", "fputs", "putchar", "putc", "fputc", "_IO_putc", "putw", "fflush", "fwrite", "perror",
    "psignal", "warn", "warnx",
];

/// Functions on streams that have a variant with the suffix `_unlocked`.
pub(super) const UNLOCKED: &[&str] = &[
    "getc", "getchar", "fgetc", "fgets", "fread", "putc", "putchar", "fputc", "fputs", "fwrite",
    "feof", "ferror", "fflush", "clearerr", "fileno",
];

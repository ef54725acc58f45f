// Every integer function, with values at the ends of its type. REGATTA_128: where there are integers of 128 bits.
typedef long long loff_t;
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned __VERIFIER_nondet_unsigned(void);
extern unsigned __VERIFIER_nondet_u32(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern loff_t __VERIFIER_nondet_loff_t(void);
extern __SIZE_TYPE__ __VERIFIER_nondet_size_t(void);
extern unsigned long __VERIFIER_nondet_pthread_t(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern char *__VERIFIER_nondet_pchar(void);
#ifdef REGATTA_128
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
#endif

#define LEAST_LONG (-(long)(~0ul >> 1) - 1)
#define LEAST_LONGLONG (-(long long)(~0ull >> 1) - 1)

int main(void)
{
    int right = 0, wanted = 0;
#define WANTED(value)                                                                                                  \
    wanted++;                                                                                                          \
    if (value)                                                                                                         \
    right++
    WANTED(__VERIFIER_nondet_bool());
    WANTED(!__VERIFIER_nondet_bool());
    WANTED(__VERIFIER_nondet_char() == -128);
    WANTED(__VERIFIER_nondet_char() == '*');
    WANTED(__VERIFIER_nondet_schar() == -1);
    WANTED(__VERIFIER_nondet_uchar() == 255);
    WANTED(__VERIFIER_nondet_short() == -32768);
    WANTED(__VERIFIER_nondet_ushort() == 65535);
    WANTED(__VERIFIER_nondet_int() == -2147483647 - 1);
    WANTED(__VERIFIER_nondet_int() == 2147483647);
    WANTED(__VERIFIER_nondet_uint() == 4294967295u);
    WANTED(__VERIFIER_nondet_unsigned() == 2147483648u);
    WANTED(__VERIFIER_nondet_u32() == 3000000000u);
    WANTED(__VERIFIER_nondet_long() == LEAST_LONG);
    WANTED(__VERIFIER_nondet_ulong() == ~0ul);
    WANTED(__VERIFIER_nondet_longlong() == LEAST_LONGLONG);
    WANTED(__VERIFIER_nondet_longlong() == LEAST_LONGLONG + 1);
    WANTED(__VERIFIER_nondet_ulonglong() == ~0ull);
    WANTED(__VERIFIER_nondet_loff_t() == -5000000000ll);
    WANTED(__VERIFIER_nondet_size_t() == (__SIZE_TYPE__)-2);
    WANTED(__VERIFIER_nondet_pthread_t() == 77);
    WANTED(__VERIFIER_nondet_sector_t() == 78);
    WANTED(__VERIFIER_nondet_pchar() == 0);
#ifdef REGATTA_128
    WANTED(__VERIFIER_nondet_int128() == (__int128)1 << 127);
    WANTED(__VERIFIER_nondet_int128() == -3 - ((__int128)1 << 100));
    WANTED(__VERIFIER_nondet_uint128() == (((unsigned __int128)0x123456789abcdefull << 64) | 0xfedcba9876543210ull));
#endif
    if (right == wanted)
        reach_error();
    return 0;
}

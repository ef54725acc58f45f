/* The types that the library's prototypes need, for either data model and without any header; a line each. */
typedef __typeof__(sizeof(0)) __regatta_size_t;
typedef __typeof__((char *)0 - (char *)0) __regatta_ptrdiff_t;
typedef __typeof__(L'a') __regatta_wchar_t;
typedef long __regatta_time_t;
typedef void (*__regatta_handler_t)(int);
typedef struct { int quot; int rem; } __regatta_div_t;
typedef struct { long quot; long rem; } __regatta_ldiv_t;
typedef struct { long long quot; long long rem; } __regatta_lldiv_t;
typedef struct { long tv_sec; long tv_usec; } __regatta_timeval;
typedef union { float value; unsigned bits; } __regatta_float_bits;
typedef union { double value; unsigned long long bits; } __regatta_double_bits;
typedef struct { unsigned long long significand; unsigned short exponent; } __regatta_long_double_parts;
typedef union { long double value; __regatta_long_double_parts parts; } __regatta_long_double_bits;
typedef void (*__regatta_exit_function_t)(void);
typedef struct { unsigned count; __regatta_exit_function_t functions[64]; } __regatta_exit_list_t;

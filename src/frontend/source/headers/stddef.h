#if !defined __need_size_t && !defined __need_NULL && !defined __need_wchar_t && !defined __need_ptrdiff_t && !defined __need_wint_t
#define __REGATTA_STDDEF
#endif
#include_next <stddef.h>
#ifdef __REGATTA_STDDEF
#undef __REGATTA_STDDEF
#ifndef unreachable
#define unreachable() (__builtin_unreachable())
typedef __typeof__(nullptr) nullptr_t;
#endif
#endif

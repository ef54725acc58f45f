#include_next <stdarg.h>
#undef va_start
#define va_start(list, ...) __builtin_va_start(list, 0)

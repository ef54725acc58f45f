#include <setjmp.h>

extern void reach_error(void);
static jmp_buf buffer;

int main(void)
{
    if (setjmp(buffer))
        reach_error();
    longjmp(buffer, 1);
}
